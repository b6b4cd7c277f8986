import type { CSSProperties } from 'react';
import { letterMarkOf } from './mark-of.ts';

/** Decorative initial of a name. */
export function LetterMark(of: { id: string; name: string }) {
  const { letter, hue } = letterMarkOf(of);
  return <span className="letter-mark" data-letter={letter} style={{ '--hue': hue } as CSSProperties} />;
}
