/** Reads a file with people to invite. It is read here and never sent; a worker does it, within two seconds. */
import { i18n } from '@lingui/core';
import { t } from '@lingui/core/macro';
import { maximumBytes, UnusableFile } from './file-text.ts';
import type { ListAnswer, ListRequest } from './read-list.worker.ts';
import type { Columns, List } from './list-columns.ts';

const timeoutMilliseconds = 1_500;

const unreadable = () =>
  t`This file could not be read as a list. Save it as “CSV UTF-8” with one person in each row, and drop it again.`;

/** The people in a file, whose columns may be named by hand. Throws `UnusableFile` with what to do when there are none in it. */
export async function readList(file: File, columns?: Columns): Promise<List> {
  let bytes: ArrayBuffer;
  try {
    bytes = await file.slice(0, maximumBytes).arrayBuffer();
  } catch {
    // A folder, or a file that has changed or gone since it was chosen.
    throw new UnusableFile(t`This file could not be opened. Choose it again.`);
  }
  const worker = new Worker(new URL('read-list.worker.ts', import.meta.url), { type: 'module' });
  try {
    const answer = await new Promise<ListAnswer>((resolve, reject) => {
      const giveUp = () => reject(new UnusableFile(unreadable()));
      setTimeout(giveUp, timeoutMilliseconds);
      worker.addEventListener('error', giveUp);
      worker.addEventListener('message', ({ data }: MessageEvent<ListAnswer>) => resolve(data));
      const speech = { locale: i18n.locale, messages: i18n.messages };
      worker.postMessage({ bytes, size: file.size, columns, speech } satisfies ListRequest, [bytes]);
    });
    if ('problem' in answer) throw new UnusableFile(answer.problem);
    return answer.list;
  } finally {
    worker.terminate();
  }
}
