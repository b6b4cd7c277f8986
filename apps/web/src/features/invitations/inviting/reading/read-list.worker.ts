/** Reads a list beside the page, so that the page stays quick whatever the file is. */
import { i18n, type Messages } from '@lingui/core';
import { UnusableFile } from './file-text.ts';
import type { Columns, List } from './list-columns.ts';
import { readTable } from './table-entries.ts';

/** `speech` is what the worker says in the site's language when it cannot use a file. */
export type ListRequest = {
  bytes: ArrayBuffer;
  size: number;
  columns: Columns | undefined;
  speech: { locale: string; messages: Messages };
};
export type ListAnswer = { list: List } | { problem: string };

self.addEventListener('message', ({ data }: MessageEvent<ListRequest>) => {
  i18n.loadAndActivate(data.speech);
  let answer: ListAnswer;
  try {
    answer = { list: readTable(new Uint8Array(data.bytes), data.size, data.columns) };
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error;
    answer = { problem: error.message };
  }
  tell(answer);
});
tell('started');

function tell(what: ListAnswer | 'started'): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows; this is a worker
  self.postMessage(what);
}
