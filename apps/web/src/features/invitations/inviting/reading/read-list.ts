/** Reads a file with people to invite. It is read here and never sent; a worker does it, within a few seconds of its start. */
import { i18n } from '@lingui/core';
import { t } from '@lingui/core/macro';
import { maximumBytes, UnusableFile } from './file-text.ts';
import type { ListAnswer, ListRequest } from './read-list.worker.ts';
import type { Columns, List } from './list-columns.ts';

/** How long its program may take to come, and then the reading. */
const timeoutMilliseconds = { program: 60_000, reading: 4_000 };

const unreadable = () =>
  t`This file could not be read as a list. Save it as “CSV UTF-8” with one person in each row, and drop it again.`;

const unopened = () => t`This file could not be opened. Choose it again.`;

/** The people in a file, whose columns may be named by hand. Throws `UnusableFile` with what to do when there are none in it. */
export async function readList(file: File, columns?: Columns): Promise<List> {
  let bytes: ArrayBuffer;
  try {
    bytes = await file.slice(0, maximumBytes).arrayBuffer();
  } catch {
    // A folder, or a file that has changed or gone since it was chosen.
    throw new UnusableFile(unopened());
  }
  const worker = new Worker(new URL('read-list.worker.ts', import.meta.url), { type: 'module' });
  try {
    const answer = await new Promise<ListAnswer>((resolve, reject) => {
      // A program that does not come, or comes slowly, says nothing about the file.
      let sentence = unopened;
      const giveUp = () => reject(new UnusableFile(sentence()));
      setTimeout(giveUp, timeoutMilliseconds.program);
      worker.addEventListener('error', giveUp);
      worker.addEventListener('message', ({ data }: MessageEvent<ListAnswer | 'started'>) => {
        if (data !== 'started') return resolve(data);
        sentence = unreadable;
        setTimeout(giveUp, timeoutMilliseconds.reading);
      });
      const speech = { locale: i18n.locale, messages: i18n.messages };
      worker.postMessage({ bytes, size: file.size, columns, speech } satisfies ListRequest, [bytes]);
    });
    if ('problem' in answer) throw new UnusableFile(answer.problem);
    return answer.list;
  } finally {
    worker.terminate();
  }
}
