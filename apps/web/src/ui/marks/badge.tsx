import type { ReactNode } from 'react';
import type { BadgeTone } from './badge-tone.ts';
import '../states.css';

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

/** A state by its word and its colour, as a table of states names them. */
export function StateBadge({ of: { label, tone } }: { of: { label: string; tone: BadgeTone } }) {
  return <Badge tone={tone}>{label}</Badge>;
}
