/** Parses a recipient list in a worker with a time limit. The file is never sent to the server. */
import { i18n } from '@lingui/core';
import { t } from '@lingui/core/macro';
import { maximumBytes, UnusableFile } from '../../../../lib/tables/file-text.ts';
import type { ListResult, ListRequest } from './read-list.worker.ts';
import type { ReadChoices, List } from './list-columns.ts';

/** A busy computer needs seconds for a small file; the limit only ends endless work. */
const timeoutMilliseconds = 120_000;

/** Throws `UnusableFile` if there are no recipients. */
export async function readList(file: File, choices: ReadChoices = {}): Promise<List> {
  let bytes: ArrayBuffer;
  try {
    bytes = await file.slice(0, maximumBytes).arrayBuffer();
  } catch {
    // The file is a folder, or was changed or deleted after the user chose it.
    throw new UnusableFile(t`This file could not be opened. Choose it again.`);
  }
  const worker = new Worker(new URL('read-list.worker.ts', import.meta.url), { type: 'module' });
  try {
    const result = await new Promise<ListResult>((resolve, reject) => {
      const giveUp = () =>
        reject(
          new UnusableFile(
            t`This file could not be read as a list. Try again; if that fails too, save it as “CSV UTF-8” with one person in each row, and drop it again.`,
          ),
        );
      setTimeout(giveUp, timeoutMilliseconds);
      worker.addEventListener('error', giveUp);
      worker.addEventListener('message', ({ data }: MessageEvent<ListResult>) => resolve(data));
      const speech = { locale: i18n.locale, messages: i18n.messages };
      worker.postMessage({ bytes, size: file.size, choices, speech } satisfies ListRequest, [bytes]);
    });
    if ('problem' in result) throw new UnusableFile(result.problem);
    return result.list;
  } finally {
    worker.terminate();
  }
}
