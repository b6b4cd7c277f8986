/** Parses a recipient list in a worker with a time limit. The file is never sent to the server. */
import { i18n } from '@lingui/core';
import { t } from '@lingui/core/macro';
import { maximumBytes, UnusableFile } from './file-text.ts';
import type { ListAnswer, ListRequest } from './read-list.worker.ts';
import type { ReadChoices, List } from './list-columns.ts';

/** Time limits for loading the worker and for parsing. */
const timeoutMilliseconds = { program: 60_000, reading: 4_000 };

const unreadable = () =>
  t`This file could not be read as a list. Save it as “CSV UTF-8” with one person in each row, and drop it again.`;

const unopened = () => t`This file could not be opened. Choose it again.`;

/** Throws `UnusableFile` if there are no recipients. */
export async function readList(file: File, choices: ReadChoices = {}): Promise<List> {
  let bytes: ArrayBuffer;
  try {
    bytes = await file.slice(0, maximumBytes).arrayBuffer();
  } catch {
    // A folder, or a file that was changed or deleted since.
    throw new UnusableFile(unopened());
  }
  const worker = new Worker(new URL('read-list.worker.ts', import.meta.url), { type: 'module' });
  try {
    const answer = await new Promise<ListAnswer>((resolve, reject) => {
      // A failure before the start is not caused by the file.
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
      worker.postMessage({ bytes, size: file.size, choices, speech } satisfies ListRequest, [bytes]);
    });
    if ('problem' in answer) throw new UnusableFile(answer.problem);
    return answer.list;
  } finally {
    worker.terminate();
  }
}
