import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { filesPerHour } from '@vestibule/contract/attachments/errors';
import {
  batchMaximum,
  chosenMaximum,
  lifetimeMaximumDays,
  selectionMaximum,
} from '@vestibule/contract/rules/limits';
import { logoMaximumBytes } from '@vestibule/contract/settings';
import { expect, test } from 'vitest';
import { readConfig } from '../../apps/server/src/platform/config/read-config.ts';
import { pictureMaximumPixels } from '../../apps/server/src/features/settings/picture.ts';
import { root } from '../install.mjs';

/** What a document says in numbers, whatever the words between them. */
test.each([
  ['administrators.md', /CSV file.{1,40}?([\d,]+) rows/, [batchMaximum]],
  ['administrators.md', /Up to ([\d,]+) rows.{1,300}?up to ([\d,]+)/, [chosenMaximum, selectionMaximum]],
  [
    'administrators.md',
    /logo.{1,80}?(\d+) kB and (\d+) pixels/,
    [logoMaximumBytes / 1000, pictureMaximumPixels],
  ],
  ['administrators.md', /stay open \(1 to (\d+) days\)/, [lifetimeMaximumDays]],
  ['configuration.md', /INVITATION_LIFETIME_DAYS.{1,120}?1 to (\d+) days/, [lifetimeMaximumDays]],
  ['members.md', /hour.{1,30}?([\d,]+) files.{1,20}?([\d,]+).{1,20}?([\d,]+)/, Object.values(filesPerHour)],
])('the limits in docs/%s are those that hold: %s', (document, numbers, limits) => {
  const text = readFileSync(path.join(root, 'docs', document), 'utf8');
  const [, ...told] = numbers.exec(text.replaceAll(/\s+/g, ' ')) ?? [];
  expect(told.map((number) => Number(number.replaceAll(',', '')))).toEqual(limits);
});

test('the settings of a site without a provider in docs/run-it.md are what a shell reads and the server takes (M7)', () => {
  const text = readFileSync(path.join(root, 'docs', 'run-it.md'), 'utf8');
  const [, lines = ''] = /cat > vestibule\.env <<'END'\n(.+?)\nEND\n/s.exec(text) ?? [];
  const read = execFileSync('sh', ['-c', `set -a\n${lines}\nset +a\nenv -0`], { env: {}, encoding: 'utf8' });
  const env = Object.fromEntries(read.split('\0').map((line) => line.split(/=(.*)/s)));
  expect(readConfig(env)).toMatchObject({
    publicUrl: 'https://portal.example.com',
    mailFrom: 'portal@example.com',
    passkeys: expect.anything(),
  });
});
