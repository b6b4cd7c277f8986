import { Suspense, type ReactNode } from 'react';
import { BesideContext, type BesidePlace } from './beside-place.ts';

/** What stands beside the rows, which do not wait for it. */
export function Beside({ place, children }: { place: BesidePlace; children: ReactNode }) {
  return (
    <BesideContext value={place}>
      <Suspense>{children}</Suspense>
    </BesideContext>
  );
}
