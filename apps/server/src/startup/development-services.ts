/** Development parts, which the production image omits. */
import { StartUpError } from '../platform/config/start-up-error.ts';

/** Loads a part; if it is not installed, `sentence` names the setting to use instead. */
export async function developmentPart<Part>(load: () => Promise<Part>, sentence: string): Promise<Part> {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new StartUpError(sentence, { cause: error });
  }
}
