import { batchMaximum } from '@vestibule/contract/rules/limits';
import { checkInvitations } from '@vestibule/contract/invitations/batches';
import { describe, expect, test } from 'vitest';
import { createBatchApp, rowsOf } from './test-batches.ts';
import { closeAfterTests } from '../../../test/test-close.ts';

const t = closeAfterTests(await createBatchApp());

describe('the dry run', () => {
  test('returns a verdict for each row and writes nothing', async () => {
    const member = await t.join(t.newAddress());
    const { email: invited } = await t.invitationTo(t.newAddress());
    const { email: expired } = await t.invitationTo(t.newAddress(), { expiresInMs: 1 });
    t.clock.advance(1);
    const before = await t.countOf('invitations', 'true');
    const { rows, counts } = await t.check([
      { email: ` ${t.newAddress()} ` },
      { email: member.email.toUpperCase() },
      { email: invited.toUpperCase() },
      { email: expired },
      { email: 'no address' },
      { email: '' },
      { email: 'dup@example.net' },
      { email: 'DUP@example.net' },
      { email: t.newAddress(), role: 'Administrator' },
      { email: t.newAddress(), role: 'owner' },
      { email: t.newAddress(), name: 'A\r\nBcc: b@example.com' },
      { email: t.newAddress(), message: 'A\0B' },
    ]);
    expect(rows.map(({ verdict }) => verdict)).toEqual([
      'new',
      'member',
      'invited',
      'new',
      'invalid',
      'invalid',
      'new',
      'duplicate',
      'new',
      'invalid',
      'invalid',
      'invalid',
    ]);
    expect(rows.map(({ row }) => row)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(rows[7]).toMatchObject({ firstRow: 7, message: expect.stringContaining('Row 7') });
    expect(rows[8]?.message).toContain('administrator');
    expect(rows.every(({ message }) => message.endsWith('.'))).toBe(true);
    expect(counts).toEqual({
      new: 4,
      member: 1,
      invited: 1,
      invalid: 5,
      duplicate: 1,
      domain_not_allowed: 0,
      look_alike: 0,
      doubtful_domain: 0,
    });
    expect(await t.countOf('invitations', 'true')).toBe(before);
    expect(await t.countOf('audit_log', "action = 'invitation_batch.created'")).toBe(0);
  });

  test('uses the row numbers of the request, such as those of a spreadsheet', async () => {
    const email = t.newAddress();
    const { rows } = await t.check([
      { email, row: 2 },
      { email: 'modern@numbers.example', row: 4 },
      { email: email.toUpperCase(), row: 7 },
      { email: 'modem@numbers.example', row: 8 },
      { email: 'none' },
    ]);
    expect(rows.map(({ row }) => row)).toEqual([2, 4, 7, 8, 5]);
    expect(rows[2]).toMatchObject({ firstRow: 2, message: expect.stringContaining('Row 2') });
    expect(rows[3]?.message).toContain('row 4');
  });

  test('explains why a row with several addresses, or with the user principal name of a guest, is invalid', async () => {
    const { rows } = await t.check([
      { email: 'anna@rows.example, bob@rows.example' },
      { email: 'bob_rows.example#EXT#@tenant.example' },
    ]);
    expect(rows.map(({ verdict, code }) => [verdict, code])).toEqual([
      ['invalid', 'invitation_row.severalAddresses'],
      ['invalid', 'field.guestPrincipalName'],
    ]);
  });

  test('reads an address with invisible characters, or with the @ of a Japanese keyboard', async () => {
    const { rows } = await t.check([
      { email: '\u200banna@rows.example\u202c' },
      { email: 'bob＠rows.example' },
    ]);
    expect(rows.map(({ verdict, email }) => [verdict, email])).toEqual([
      ['new', 'anna@rows.example'],
      ['new', 'bob@rows.example'],
    ]);
  });

  test('suggests an address without spaces, and ASCII for apostrophes and hyphens of word processors', async () => {
    const { rows } = await t.check([
      { email: 'o’brien@rows.example' },
      { email: 'anna–berg@rows.example' },
      { email: 'cy @rows. example' },
      { email: 'di@rows.example di' },
    ]);
    expect(rows.map(({ code, suggestion }) => [code, suggestion])).toEqual([
      ['invitation_row.foreignCharacter', "o'brien@rows.example"],
      ['invitation_row.foreignCharacter', 'anna-berg@rows.example'],
      ['invitation_row.spaces', 'cy@rows.example'],
      ['field.notAnAddress', null],
    ]);
  });

  test('warns about mistyped domains and domains without a dot or mail server, but invites them', async () => {
    const own = 'anna@exmaple.com';
    const rows = [
      'anna@gmail',
      'anna@gmial.com',
      'anna@GMAIL.CON',
      'anna@contoso-partners',
      own,
      'anna@gone.org',
      'anna@ymail.com',
      'anna@gmx.at',
      'anna@unknown.org',
    ].map((email) => ({ email }));
    const lookups: string[][] = [];
    const known = await createBatchApp({
      findMailServers: (domains) => {
        lookups.push([...domains]);
        return Promise.resolve(
          new Map([
            ['gone.org', false],
            ['gmx.at', true],
          ]),
        );
      },
    });
    try {
      const { rows: checks, counts } = await known.check(rows);
      expect(
        checks.map(({ verdict, suggestion, code }) => [verdict, suggestion, code.split('.')[1]]),
      ).toEqual([
        ['doubtful_domain', 'anna@gmail.com', 'likeDomain'],
        ['doubtful_domain', 'anna@gmail.com', 'likeDomain'],
        ['doubtful_domain', 'anna@gmail.com', 'likeDomain'],
        ['doubtful_domain', null, 'domainWithoutDot'],
        ['doubtful_domain', 'anna@example.com', 'likeDomain'],
        ['doubtful_domain', null, 'domainWithoutMail'],
        ['new', null, 'new'],
        ['new', null, 'new'],
        ['new', null, 'new'],
      ]);
      expect(counts).toMatchObject({ doubtful_domain: 6, new: 3 });
      // The lookup skips doubtful domains, and creating a batch does not use it.
      expect(lookups).toEqual([['gone.org', 'ymail.com', 'gmx.at', 'unknown.org']]);
      expect((await known.send(rows)).body.counts).toMatchObject({ created: rows.length });
      expect(lookups).toHaveLength(1);
    } finally {
      await known.close();
    }
  });

  test('reports a similar address of a person, an invitation or an earlier row', async () => {
    await t.join('ann.miller@looks.example');
    await t.invitationTo('bob0@looks.example');
    const verdicts = async (email: string) => (await t.check([{ email }])).rows[0];
    for (const [email, looksLike] of [
      ['annmiller@looks.example', 'ann.miller@looks.example'],
      ['ann.mi1ler@looks.example', 'ann.miller@looks.example'],
      ['ann.miller@lооks.example', 'ann.miller@looks.example'],
      ['bobo@looks.example', 'bob0@looks.example'],
    ])
      expect(await verdicts(email as string)).toMatchObject({ verdict: 'look_alike', looksLike });
    const { rows } = await t.check([{ email: 'modern@looks.example' }, { email: 'modem@looks.example' }]);
    expect(rows[1]).toMatchObject({
      verdict: 'look_alike',
      looksLike: 'modern@looks.example',
      message: expect.stringContaining('row 1'),
    });
    expect(await verdicts('аnn.miller@looks.example')).toMatchObject({
      verdict: 'invalid',
      message: expect.stringContaining('ann.miller@looks.example'),
    });
    expect(await verdicts('ann.miller+list@looks.example')).toMatchObject({ verdict: 'new' });
  });

  test('checks 10,000 invalid rows within 2 s and writes none (security 21, 32)', async () => {
    const garbage = [
      '',
      '@',
      '\0',
      '=cmd|calc',
      'a@b@c',
      '('.repeat(500),
      '@'.repeat(250) + ','.repeat(250),
      'ä@ö',
      '"x"@y.z',
      '٣@٣',
      '🙂',
      '%%',
      'a@b..c',
    ];
    const rows = Array.from({ length: batchMaximum }, (_, index) => ({
      email: `${garbage[index % garbage.length]}${index % 3 === 0 ? '\r\n' : ''}`,
      name: garbage[(index * 7) % garbage.length] as string,
      role: garbage[(index * 5) % garbage.length]?.slice(0, 50) as string,
    }));
    // Processor time, because other tests run in parallel.
    const before = process.cpuUsage();
    const { counts } = await t.check(rows);
    const { user, system } = process.cpuUsage(before);
    expect(counts.invalid).toBe(batchMaximum);
    const response = await t.send(rows, { inviteLookAlikes: true, sendAgain: true });
    expect(response.body.counts).toEqual({ created: 0, sentAgain: 0, skipped: batchMaximum });
    expect((user + system) / 1000).toBeLessThan(2_000);
  });

  test.each([
    ['no rows', { rows: [] }],
    ['10,001 rows', { rows: rowsOf(Array.from({ length: batchMaximum + 1 }, () => 'a@example.com')) }],
    ['an unknown column', { rows: [{ email: 'a@example.com', status: 'redeemed' }] }],
    ['a lifetime of 366 days', { rows: rowsOf(['a@example.com']), lifetimeDays: 366 }],
    ['a lifetime of half a day', { rows: rowsOf(['a@example.com']), lifetimeDays: 0.5 }],
    ['an unknown language', { rows: rowsOf(['a@example.com']), language: 'fr' }],
  ])('returns 400 with the limit for %s', async (_what, body) => {
    const response = await t.callAs(t.admin, checkInvitations, { body: body as never });
    expect(response).toMatchObject({ status: 400, body: { code: 'request.invalid' } });
    expect(Object.values(response.body.fields ?? {})[0]).toMatch(/\.$/);
  });

  test('rejects a body of more than 4 MB and accepts one of 3 MB', async () => {
    const message = 'x'.repeat(4_000);
    const rows = (count: number) => Array.from({ length: count }, () => ({ email: 'x', message }));
    const call = (count: number) => t.callAs(t.admin, checkInvitations, { body: { rows: rows(count) } });
    expect((await call(750)).status).toBe(200);
    expect(await call(1_100)).toMatchObject({ status: 413, body: { code: 'request.too_large' } });
  });
});
