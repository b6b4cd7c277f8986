/** Marks background requests of an idle page, such as list updates, so that they do not extend the session. */
import { backgroundHeader } from '@vestibule/contract/rules/limits';
import { addHeaders } from './call.ts';

const idleMilliseconds = 60_000;
/** Loading the page counts as input. */
let lastInput = Date.now();

if (typeof window !== 'undefined')
  for (const type of ['click', 'input', 'keydown', 'pointerdown', 'pointermove', 'touchmove', 'wheel'])
    window.addEventListener(type, () => (lastInput = Date.now()), { capture: true, passive: true });

export const backgroundHeaders = (): Record<string, string> =>
  Date.now() - lastInput > idleMilliseconds ? { [backgroundHeader]: '1' } : {};

addHeaders(backgroundHeaders);
