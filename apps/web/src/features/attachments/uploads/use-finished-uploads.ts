/** Calls `onFinished` once after one or more uploads of this tab have completed. */
import { useEffect, useEffectEvent, useRef } from 'react';
import { useUploads } from './uploads.ts';

const batchDelayMs = 1_000;

export function useFinishedUploads(onFinished: () => void): void {
  const { done, active } = useUploads();
  const reported = useRef(done);
  const report = useEffectEvent(onFinished);
  useEffect(() => {
    if (done === reported.current) return undefined;
    const timer = setTimeout(
      () => {
        reported.current = done;
        report();
      },
      active === 0 ? 0 : batchDelayMs,
    );
    return () => clearTimeout(timer);
  }, [done, active]);
}
