import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';

/**
 * Returns a function that writes an extension and returns the directory to load. Tests of a file with the same extension get the
 * same directory, so that `createOrganizationSite` prepares one site for them.
 */
export function createExtensionWriter(name: string) {
  const directories = new Map<string, Promise<string>>();
  afterAll(async () => {
    for (const directory of directories.values()) await rm(await directory, { recursive: true });
  });
  return (definition: string, migration?: string): Promise<string> => {
    const key = `${definition}\n${migration}`;
    const directory = directories.get(key) ?? writeExtension(name, definition, migration);
    directories.set(key, directory);
    return directory;
  };
}

async function writeExtension(name: string, definition: string, migration?: string): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'vestibule-extensions-'));
  const migrations = path.join(directory, name, 'migrations');
  await mkdir(migrations, { recursive: true });
  await writeFile(path.join(directory, name, 'extension.ts'), definition);
  if (migration !== undefined) await writeFile(path.join(migrations, `001-${name}.sql`), migration);
  return directory;
}
