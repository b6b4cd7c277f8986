/**
 * Messages of the server: objects with a code and a message that the contract and the contracts of extensions export, and the labels in
 * the definitions of extensions.
 */
import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { ExtractorType } from '@lingui/conf';
import { labelsOf, readDefinition, readDefinitions } from './extension-definitions.ts';
import { extensionFiles, importFile } from './extension-files.ts';

/** Sources of the contract; JavaScript in the package. */
export const contractSources = path.dirname(
  createRequire(path.join(import.meta.dirname, 'package.json')).resolve('@vestibule/contract/route'),
);
const isModule = (file: string) =>
  /contract\/src\/[\w/-]+\.[jt]s$|\/extensions\/[\w-]+\/contract\.ts$/.test(file.replaceAll('\\', '/'));
const isDefinition = (file: string) => /[\\/]extension\.[jt]s$/.test(file);

async function textsOf(file: string): Promise<[code: string, message: string][]> {
  if (isDefinition(file)) {
    const definition = await readDefinition(file);
    return definition ? labelsOf(definition) : [];
  }
  const exported = Object.values(await importFile(file));
  return exported
    .flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
    .flatMap((one: { code?: unknown; message?: unknown } | null | undefined) =>
      typeof one?.code === 'string' && typeof one.message === 'string' ? [[one.code, one.message]] : [],
    );
}

/** Returns all messages in English, keyed by code. */
export async function readServerTexts(): Promise<Record<string, string>> {
  const files = (await readdir(contractSources, { recursive: true }))
    .map((name) => path.join(contractSources, name))
    .concat(extensionFiles('contract.ts'))
    .filter(isModule);
  const labels = (await readDefinitions()).flatMap(labelsOf);
  return Object.fromEntries([...(await Promise.all(files.map(textsOf))).flat(), ...labels]);
}

/** Adds the messages to the catalogs, with their codes as ids. */
export const serverTexts: ExtractorType = {
  match: (file) => isModule(file) || isDefinition(file),
  async extract(file, _, onText) {
    for (const [id, message] of await textsOf(file))
      onText({ id, message, comment: message, origin: [file, 1] });
  },
};
