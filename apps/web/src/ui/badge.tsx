import type { ReactNode } from 'react';
import './states.css';

/** What a badge's colour may mean. */
export type BadgeTone = 'neutral' | 'accent' | 'success' | 'warning' | 'danger';

/** A status in a word; its colour only repeats what the word says. `hint` shows under the pointer. */
export function Badge({
  tone = 'neutral',
  hint,
  children,
}: {
  tone?: BadgeTone;
  hint?: string | undefined;
  children: ReactNode;
}) {
  return (
    <span className={`badge badge-${tone}`} title={hint}>
      {children}
    </span>
  );
}
