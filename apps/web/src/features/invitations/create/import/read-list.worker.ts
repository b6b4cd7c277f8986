import { i18n, type Messages } from '@lingui/core';
import { UnusableFile } from '../../../../lib/tables/file-text.ts';
import { loadReader } from '../../../../lib/tables/load-reader.ts';
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
    const readText = await loadReader(bytes, cut, choices.encoding);
    post('started');
    post({ list: readTable(await readText(), cut, choices) });
  } catch (error) {
    if (error instanceof UnusableFile) post({ problem: error.message });
    else self.reportError(error);
  }
}

function post(message: ListResult | 'started'): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the target is for windows; this is a worker
  self.postMessage(message);
}
