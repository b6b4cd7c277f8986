import { i18n, type Messages } from '@lingui/core';
import { readFileText, UnusableFile } from '../../../../lib/tables/file-text.ts';
import type { ReadChoices, List } from './list-columns.ts';
import { readTable } from './table-entries.ts';

/** `speech` contains the message catalog of the current language. */
export type ListRequest = {
  bytes: ArrayBuffer;
  size: number;
  choices: ReadChoices;
  speech: { locale: string; messages: Messages };
};
export type ListResult = { list: List } | { problem: string };

self.addEventListener('message', ({ data }: MessageEvent<ListRequest>) => void respond(data));

async function respond({ bytes: buffer, size, choices, speech }: ListRequest): Promise<void> {
  i18n.loadAndActivate(speech);
  const bytes = new Uint8Array(buffer);
  const cut = size > bytes.length;
  try {
    const text = await readFileText(bytes, cut, choices.encoding);
    post({ list: readTable(text, cut, choices) });
  } catch (error) {
    if (error instanceof UnusableFile) post({ problem: error.message });
    else self.reportError(error);
  }
}

function post(result: ListResult): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the target is for windows; this is a worker
  self.postMessage(result);
}
