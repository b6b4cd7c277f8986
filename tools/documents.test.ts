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

/** Without the ends of lines. */
const read = (document: string) =>
  readFileSync(path.join(import.meta.dirname, '..', 'docs', document), 'utf8').replaceAll(/\s+/g, ' ');
const number = (value: number) => value.toLocaleString('en-US');

test.each([
  ['administrators.md', `drop a CSV file on it, up to ${number(batchMaximum)} rows`],
  ['administrators.md', `Up to ${number(chosenMaximum)} rows can be chosen one by one`],
  ['administrators.md', `actions reach up to ${number(selectionMaximum)} of them`],
  ['administrators.md', `at most ${logoMaximumBytes / 1000} kB and ${pictureMaximumPixels} pixels`],
  ['administrators.md', `How long new ones stay open (1 to ${lifetimeMaximumDays} days)`],
  ['configuration.md', `How long an invitation stays open, 1 to ${lifetimeMaximumDays} days`],
  [
    'members.md',
    `you can upload ${number(filesPerHour.uploads)} files, change ${number(filesPerHour.changes)} and get`,
  ],
  ['members.md', `and get ${number(filesPerHour.links)}. What is more waits`],
])('docs/%s says what holds: "%s"', (document, sentence) => {
  expect(read(document)).toContain(sentence);
});
