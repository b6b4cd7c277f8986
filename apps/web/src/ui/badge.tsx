import type { ReactNode } from 'react';
import './states.css';

/** What a badge's colour may mean. */
export type BadgeTone = 'neutral' | 'accent' | 'success' | 'warning' | 'danger';

/** A status in a word; its colour only repeats what the word says. */
export function Badge({ tone = 'neutral', children }: { tone?: BadgeTone; children: ReactNode }) {
  return (
    <span className={`badge badge-${tone}`} title={hint}>
      {children}
    </span>
  );
}
