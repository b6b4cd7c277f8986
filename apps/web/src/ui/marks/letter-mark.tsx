import type { CSSProperties } from 'react';
import { markOf } from './mark-of.ts';

/** Decorative initial of a name. */
export function LetterMark(of: { id: string; name: string }) {
  const { letter, hue } = markOf(of);
  return <span className="letter-mark" data-letter={letter} style={{ '--hue': hue } as CSSProperties} />;
}
