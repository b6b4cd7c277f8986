/** Reads a list beside the page, so that the page stays quick whatever the file is. */
import { UnusableFile } from './file-text.ts';
import { readTable, type List } from './table-entries.ts';

export type ListRequest = { bytes: ArrayBuffer; size: number };
export type ListAnswer = { list: List } | { problem: string };

self.addEventListener('message', ({ data }: MessageEvent<ListRequest>) => {
  let answer: ListAnswer;
  try {
    answer = { list: readTable(new Uint8Array(data.bytes), data.size) };
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error;
    answer = { problem: error.message };
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows; this is a worker
  self.postMessage(answer);
});
