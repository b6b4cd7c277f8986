/** Parts for development, which the image for production leaves out. */
import { StartUpError } from '../platform/config/start-up-error.ts';

/** Loads a part; where it is not installed, `sentence` says what to set instead. */
export async function developmentPart<Part>(load: () => Promise<Part>, sentence: string): Promise<Part> {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new StartUpError(sentence, { cause: error });
  }
}
