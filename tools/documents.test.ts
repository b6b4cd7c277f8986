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
import { pictureMaximumPixels } from '../apps/server/src/features/settings/picture.ts';

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
  const text = readFileSync(path.join(import.meta.dirname, '..', 'docs', document), 'utf8');
  const [, ...told] = numbers.exec(text.replaceAll(/\s+/g, ' ')) ?? [];
  expect(told.map((number) => Number(number.replaceAll(',', '')))).toEqual(limits);
});
