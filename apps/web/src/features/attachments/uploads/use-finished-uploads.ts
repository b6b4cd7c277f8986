/** Tells that uploads of this tab have arrived, once for many. */
import { useEffect, useEffectEvent, useRef } from 'react';
import { useUploads } from './uploads.ts';

/** Milliseconds. */
const gatherArrivals = 1_000;

export function useArrivals(notify: () => void): void {
  const { done, active } = useUploads();
  const told = useRef(done);
  const tellNow = useEffectEvent(notify);
  useEffect(() => {
    if (done === told.current) return undefined;
    const timer = setTimeout(
      () => {
        told.current = done;
        tellNow();
      },
      active === 0 ? 0 : gatherArrivals,
    );
    return () => clearTimeout(timer);
  }, [done, active]);
}
