/** The user's recent choices in the palette, in this browser until sign-out. */
import type { Target } from '../../lib/finder.ts';
import { storeJson, readJson } from '../../lib/stored-json.ts';

/** A target with its label; without a target, a command identified by its id. */
export type Recent = { id: string; label: string; detail?: string | undefined; target?: Target };

const key = 'recentChoices';
const kept = 6;

export function readRecent(): Recent[] {
  const choices = readJson<unknown>('localStorage', key);
  return Array.isArray(choices) ? choices.filter(isRecent) : [];
}

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
