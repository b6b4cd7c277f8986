/** Messages of the server: objects with a code and a message that the contract's modules export. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { ExtractorType } from '@lingui/conf';

const contract = path.join(import.meta.dirname, '../../packages/contract/src');
const isModule = (file: string) => /contract\/src\/[\w/-]+\.ts$/.test(file.replaceAll('\\', '/'));

async function textsOf(file: string): Promise<[code: string, message: string][]> {
  const exported = Object.values((await import(file)) as Record<string, unknown>);
  return exported
    .flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
    .flatMap((one: { code?: unknown; message?: unknown } | null | undefined) =>
      typeof one?.code === 'string' && typeof one.message === 'string' ? [[one.code, one.message]] : [],
    );
}

/** Returns all messages in English, keyed by code. */
export async function readServerTexts(): Promise<Record<string, string>> {
  const files = (await readdir(contract, { recursive: true }))
    .map((name) => path.join(contract, name))
    .filter(isModule);
  return Object.fromEntries((await Promise.all(files.map(textsOf))).flat());
}

/** Adds the messages to the catalogs, with their codes as ids. */
export const serverTexts: ExtractorType = {
  match: isModule,
  async extract(file, _, onText) {
    for (const [id, message] of await textsOf(file))
      onText({ id, message, comment: message, origin: [file, 1] });
  },
};
