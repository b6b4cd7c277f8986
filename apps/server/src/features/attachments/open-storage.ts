/** Opens the storage that the configuration names: a directory, unless it is S3 or Azure. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../../platform/config/read-config.ts';
import { StartUpError } from '../../platform/config/start-up-error.ts';
import { createDiskStorage } from './disk-storage.ts';
import type { FileStorage } from './storage.ts';

export async function openStorage(
  config: Pick<Config, 'dataDirectory' | 'attachments'>,
): Promise<FileStorage> {
  const directory = path.join(config.dataDirectory, 'attachments');
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new StartUpError(
      `${directory} cannot be made. Let this user write to ${config.dataDirectory}, or name another directory by DATA_DIR.`,
      { cause },
    );
  }
  return createDiskStorage(directory);
}
