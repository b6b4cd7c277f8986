import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { migrations } from '../../startup/create-database.ts';

/** Tables of a team: those that its migrations, numbered from 100, create. */
export async function listTeamTables(): Promise<string[]> {
  const names = (await readdir(migrations)).filter((name) => name >= '100');
  const texts = await Promise.all(names.map((name) => readFile(path.join(migrations, name), 'utf8')));
  return texts.flatMap((text) =>
    [...text.matchAll(/create table (?:if not exists )?(\w+)/gi)].map(([, name = '']) => name.toLowerCase()),
  );
}
