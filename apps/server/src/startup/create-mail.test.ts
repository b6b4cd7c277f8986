import { expect, test } from 'vitest';
import { logFailedMails } from './create-mail.ts';

test('failed mails are logged with their reason, at most one a minute', () => {
  let time = 1_000_000;
  const lines: unknown[] = [];
  const logFailure = logFailedMails({ warn: (...line: unknown[]) => void lines.push(line) }, () => time);
  for (let second = 0; second < 61; second += 1) {
    logFailure('454 Relay access denied', 'invitation');
    time += 1_000;
  }
  const message = 'a mail was not sent: 454 Relay access denied';
  expect(lines).toEqual([
    [{ template: 'invitation' }, message],
    [{ template: 'invitation', skipped: 59 }, message],
  ]);
});
