import { StartUpError } from '../platform/config/start-up-error.ts';

export async function importDevelopmentService<Part>(
  load: () => Promise<Part>,
  sentence: string,
): Promise<Part> {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new StartUpError(sentence, { cause: error });
  }
}
