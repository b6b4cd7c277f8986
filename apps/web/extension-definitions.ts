/** Definitions of extensions, which the build imports: default exports of `<name>/extension.ts` and of single files. */
import { statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { organizationPermissions } from '@vestibule/contract/organizations/permissions';
import { definitionFiles, extensionsDirectory } from './extension-files.ts';

/** The parts of a definition (apps/server/src/platform/extensions/extension.ts) that the application needs. */
type ExtensionDefinition = {
  name: string;
  label?: string;
  permissions?: { name: string; label: string }[];
  settings?: Record<string, { label: string; hint?: string; values?: Record<string, string> }>;
};

export async function readDefinitions(directory = extensionsDirectory): Promise<ExtensionDefinition[]> {
  return (await readAll(directory)).filter((one) => one !== undefined);
}

/** Returns the names of all permissions; undefined if an extension is a function, whose permissions only the server knows. */
export async function readPermissions(directory = extensionsDirectory): Promise<string[] | undefined> {
  const definitions = await readAll(directory);
  if (definitions.includes(undefined)) return undefined;
  return [
    ...Object.values(organizationPermissions),
    ...definitions.flatMap((definition) => definition?.permissions ?? []),
  ].map(({ name }) => name);
}

const readAll = (directory: string): Promise<(ExtensionDefinition | undefined)[]> =>
  Promise.all(definitionFiles(directory).map(readDefinition));

/** Returns undefined for an extension that is a function. */
export async function readDefinition(file: string): Promise<ExtensionDefinition | undefined> {
  // The time makes Node.js read a file again that has changed during development.
  const address = `${pathToFileURL(file).href}?${statSync(file).mtimeMs}`;
  const { default: definition } = (await import(address)) as { default?: unknown };
  return typeof definition === 'object' && definition !== null
    ? (definition as ExtensionDefinition)
    : undefined;
}

/** Returns the labels of an extension, its permissions and its settings in English, by the ids of the catalogs. */
export function labelsOf({ name, label, permissions = [], settings = {} }: ExtensionDefinition) {
  return [
    [`extension:${name}`, label ?? name],
    ...permissions.map((permission) => [`permission:${permission.name}`, permission.label]),
    ...Object.entries(settings).flatMap(([setting, definition]) => {
      const id = `setting:${name}.${setting}`;
      return [
        [id, definition.label],
        ...(definition.hint === undefined ? [] : [[`${id}:hint`, definition.hint]]),
        ...Object.entries(definition.values ?? {}).map(([value, text]) => [`${id}:${value}`, text]),
      ];
    }),
  ] as [id: string, text: string][];
}
