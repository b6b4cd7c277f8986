/** `npm run audit:verify` as administrators run it (statement K4; security 49). */
import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { purgeExpired } from '../../features/retention/retention.ts';
import { createCommandSite } from '../../test/test-command-site.ts';
import { recordChange } from './audit-log.ts';
import { createAuditSeals } from './audit-seals.ts';

const {
  database: owner,
  directory,
  postgres,
  run,
  script,
  secret,
  siteKey,
} = await createCommandSite('verify-audit.ts');
for (const label of ['a', 'b', 'c'])
  await recordChange(owner, {
    action: 'test.done',
    actor: null,
    target: { type: 'test', id: label, label },
    origin: { requestId: 'r', address: '::1' },
  });
await createAuditSeals(owner, siteKey).seal();

describe('npm run audit:verify', () => {
  test('verifies the embedded database or the one in DATABASE_URL, and reports the number of entries', async () => {
    for (const environment of [
      { DATA_DIR: directory },
      { DATA_DIR: directory, DATABASE_URL: postgres.applicationUrl },
    ]) {
      const { output, code } = await run([], environment);
      expect(output).toMatch(/^Nothing was altered: all 3 sealed entries since .* are unaltered\./);
      expect(code).toBe(0);
    }
  });

  test('fails with a message for another secret and for a directory without a database', async () => {
    expect(await run([], { DATA_DIR: directory, SECRET: 'x'.repeat(40) })).toMatchObject({
      code: 1,
      output: expect.stringContaining('SECRET is not the one'),
    });
    expect(await run([], { DATA_DIR: path.join(directory, 'elsewhere') })).toMatchObject({
      code: 1,
      output: expect.stringMatching(/secret does not exist/),
    });
  });

  test('verifies archives together with the database, and single archive files without a database (P1)', async () => {
    const archive = path.join(directory, 'archive');
    const archived = await purgeExpired({
      database: owner,
      secret: siteKey,
      directory: archive,
      now: () => Date.parse('2126-01-01'),
      retentionPeriods: () =>
        Promise.resolve({ keepActivityDays: 30, keepSignInsDays: 0, keepInvitationsDays: 0 }),
    });
    expect(archived).toMatchObject({ activity: 3 });
    await recordChange(owner, {
      action: 'test.done',
      actor: null,
      target: { type: 'test', id: 'b', label: 'b' },
      origin: { requestId: 'r', address: '::1' },
    });
    await createAuditSeals(owner, siteKey).seal();
    const file = path.join(archive, 'activity-000001.jsonl');
    const intact = await run([]);
    expect(intact.output).toMatch(/^Nothing was altered: all 1 sealed entries/);
    expect(intact.output).toContain(`${file}: nothing was altered, all 3 entries (activity)`);
    expect(intact.code).toBe(0);

    const moved = path.join(directory, 'moved.jsonl');
    const alone = {
      DATA_DIR: path.join(directory, 'elsewhere'),
      SECRET: secret.toString(),
    };
    await rename(file, moved);
    expect(await run([])).toMatchObject({
      code: 0,
      output: expect.stringContaining('1 archived files are not in'),
    });
    expect(await run([moved], alone)).toMatchObject({
      code: 0,
      output: expect.stringContaining('all 3 entries'),
    });
    await writeFile(
      moved,
      (await readFile(moved, 'utf8')).replace('"target_label":"c"', '"target_label":"C"'),
    );
    expect(await run([moved], { ...alone, SECRET: 'x'.repeat(40) })).toMatchObject({
      code: 1,
      output: expect.stringContaining('Neither SECRET nor SECRET_PREVIOUS'),
    });
    const rotated = { ...alone, SECRET: 'x'.repeat(40), SECRET_PREVIOUS: alone.SECRET };
    expect(await run([moved], rotated)).toMatchObject({
      code: 1,
      output: expect.stringMatching(/ALTERED: The file was altered/),
    });
    expect(await run([script], alone)).toMatchObject({
      code: 1,
      output: expect.stringContaining('no archive'),
    });
  });

  test('a file that cannot be read is not reported as altered, and options print the usage', async () => {
    const environment = { SECRET: 'x'.repeat(40) };
    const missing = path.join(directory, 'missing.jsonl');
    const { output, code } = await run([missing], environment);
    expect(output).toContain(`${missing} cannot be read: ENOENT`);
    expect(output).not.toContain('ALTERED');
    expect(code).toBe(1);
    expect(await run(['--help'], environment)).toMatchObject({
      code: 0,
      output: expect.stringContaining('audit:verify [FILE…]'),
    });
  });

  test('names the first altered entry and exits with 1, also if no server runs', async () => {
    await owner.query({ text: 'alter table audit_log disable trigger user' });
    const { rows } = await owner.query<{ id: number }>({
      text: "update audit_log set target_label = 'B' where target_label = 'b' returning id",
    });
    await owner.end();
    await postgres.stop();
    expect(await run([])).toMatchObject({
      code: 1,
      output: expect.stringContaining(`ALTERED: Entry ${rows[0]?.id} of the log`),
    });
  });
});
