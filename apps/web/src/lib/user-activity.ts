/**
 * Whether somebody is at this page. What it asks by itself, such as lists that changed elsewhere, keeps no session from ending. Loaded
 * behind the door, where there is one.
 */
import { backgroundHeader } from '@vestibule/contract/rules/limits';
import { addHeaders } from './call.ts';

const longestMilliseconds = 60_000;
/** Loading a page is a person's doing, too. */
let lastInput = Date.now();

if (typeof window !== 'undefined')
  for (const type of ['click', 'input', 'keydown', 'pointerdown', 'pointermove', 'touchmove', 'wheel'])
    window.addEventListener(type, () => (lastInput = Date.now()), { capture: true, passive: true });

/** What a request that may happen by itself says of that. */
export const userActivity = (): Record<string, string> =>
  Date.now() - lastInput > longestMilliseconds ? { [backgroundHeader]: '1' } : {};

addHeaders(userActivity);
