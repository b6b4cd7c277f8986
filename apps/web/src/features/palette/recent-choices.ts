/** Where somebody last went by the palette and what they did, in this browser until they sign out. */
import type { Target } from '../../lib/finder.ts';
import { storeJson, readJson } from '../../lib/stored-json.ts';

/** A place with the words it was found under; without a target a command, which the palette knows by its id. */
export type Recent = { id: string; label: string; detail?: string | undefined; target?: Target };

const key = 'recentChoices';
const kept = 6;

/** The latest first; none where nothing can be read. */
export function readRecent(): Recent[] {
  const choices = readJson<unknown>('localStorage', key);
  return Array.isArray(choices) ? choices.filter(isRecent) : [];
}

/** Puts a choice to the front. */
export function keepRecent({ id, label, detail, target }: Recent): void {
  const others = readRecent().filter((choice) => choice.id !== id);
  storeJson('localStorage', key, [{ id, label, detail, target }, ...others].slice(0, kept));
}

function isRecent(value: unknown): value is Recent {
  const { id, label, target } = (value ?? {}) as Partial<Recent>;
  return (
    typeof id === 'string' &&
    typeof label === 'string' &&
    (target === undefined || typeof target.to === 'string')
  );
}
