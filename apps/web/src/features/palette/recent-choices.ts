/** The user's recent choices in the palette, in this browser until sign-out. */
import type { Target } from '../../lib/finder.ts';
import { storeJson, readJson } from '../../lib/stored-json.ts';

/** A target with its label; without a target, a command identified by its id. */
export type RecentChoice = { id: string; label: string; detail?: string | undefined; target?: Target };

const storageKey = 'recentChoices';
const maximumChoices = 6;

export function readRecent(): RecentChoice[] {
  const choices = readJson<unknown>('localStorage', storageKey);
  return Array.isArray(choices) ? choices.filter(isRecent) : [];
}

export function storeRecent({ id, label, detail, target }: RecentChoice): void {
  const others = readRecent().filter((choice) => choice.id !== id);
  storeJson('localStorage', storageKey, [{ id, label, detail, target }, ...others].slice(0, maximumChoices));
}

function isRecent(value: unknown): value is RecentChoice {
  const { id, label, target } = (value ?? {}) as Partial<RecentChoice>;
  return (
    typeof id === 'string' &&
    typeof label === 'string' &&
    (target === undefined || typeof target.to === 'string')
  );
}
