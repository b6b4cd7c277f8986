import type { CSSProperties } from 'react';
import { markOf } from './mark-of.ts';

/** The mark of a name. It says nothing that does not stand beside it. */
export function LetterMark(of: { id: string; name: string }) {
  const { letter, hue } = markOf(of);
  return <span className="letter-mark" data-letter={letter} style={{ '--hue': hue } as CSSProperties} />;
}
