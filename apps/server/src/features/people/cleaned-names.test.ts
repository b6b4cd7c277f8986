/** Migration 039, which removes invisible characters from existing names. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createTestApp } from '../../test/test-app.ts';

const migration = path.join(import.meta.dirname, '..', '..', '..', 'migrations', '039-visible-names.sql');

test('invisible and bidirectional characters are removed and other names are unchanged', async () => {
  const t = await createTestApp();
  try {
    const names = {
      'turned@example.com': 'Ada \u202Eecalevol\u202C',
      'blank@example.com': '\u200B\u3164',
      'persian@example.com': 'می‌خواهم ',
    };
    for (const [email, name] of Object.entries(names)) {
      const { id } = await t.join(email);
      await t.select('update people set display_name = $2 where id = $1', [id, name]);
      await t.select('update invitations set name = $2 where email = $1', [email, name]);
    }
    await t.select(await readFile(migration, 'utf8'));
    const selectNames = (column: string) => `select email, ${column} as name from`;
    expect(await t.select(`${selectNames('display_name')} people order by email`)).toEqual([
      { email: 'blank@example.com', name: 'blank@example.com' },
      { email: 'persian@example.com', name: names['persian@example.com'] },
      { email: 'turned@example.com', name: 'Ada ecalevol' },
    ]);
    expect(await t.select(`${selectNames('name')} invitations order by email`)).toEqual([
      { email: 'blank@example.com', name: '' },
      { email: 'persian@example.com', name: names['persian@example.com'] },
      { email: 'turned@example.com', name: 'Ada ecalevol' },
    ]);
  } finally {
    await t.close();
  }
});
