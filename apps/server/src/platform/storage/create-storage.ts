/** Opens the configured storage: a directory, S3 or Azure. */
import path from 'node:path';
import type { Config } from '../config/read-config.ts';
import { StartUpError } from '../config/start-up-error.ts';
import { createDiskStorage, prepareDirectory } from './disk-storage.ts';
import type { FileStorage } from './storage.ts';

export async function createStorage(
  config: Pick<Config, 'dataDirectory' | 'attachments'>,
): Promise<FileStorage> {
  const { storage } = config.attachments;
  if (storage?.url.protocol === 's3:') {
    const { createS3Storage } = await import('./s3-storage.ts');
    return createS3Storage(storage.url, storage.keyId, storage.key);
  }
  if (storage) {
    // Base64. The portal of Azure shows a connection string beside it.
    if (storage.key === null || !/^[\w+/]+=*$/.test(storage.key))
      throw new StartUpError(
        'ATTACHMENT_STORAGE_KEY: should be an access key of the Azure storage account, not its connection string',
      );
    const { createAzureStorage } = await import('./azure-storage.ts');
    return createAzureStorage(storage.url, storage.key);
  }
  const directory = path.join(config.dataDirectory, 'attachments');
  try {
    await prepareDirectory(directory);
  } catch (cause) {
    throw new StartUpError(
      `${directory} cannot be created. Give this user write access to ${config.dataDirectory}, or set DATA_DIR to another directory.`,
      { cause },
    );
  }
  return createDiskStorage(directory);
}
