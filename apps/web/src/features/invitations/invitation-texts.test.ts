/** What is told of an invitation's mail (statement N: failures are visible with what to do). */
import { expect, test } from 'vitest';
import { mailTrouble, tellRevoked, tellUndelivered } from './invitation-texts.ts';

const advice = (message: string) => ({ code: 'mail_advice.any', message, values: {} });

test.each([
  ['550 5.1.1 User unknown', 'Check it.', 'The mail server said: “550 5.1.1 User unknown”. Check it.'],
  ['421 busy', 'Wait.', 'The mail server said: “421 busy”. Wait.'],
  ['connect ECONNREFUSED 127.0.0.1:25', 'It cannot be reached.', 'It cannot be reached.'],
  ['Connection timeout', 'It cannot be reached.', 'It cannot be reached.'],
  [null, '', null],
])('of %j only what the mail server said itself is quoted', (mailError, what, told) => {
  expect(mailTrouble({ mailError, mailAdviceText: advice(what) })).toBe(told);
});

test('of one invitation or e-mail it is told as of one', () => {
  expect([tellRevoked(1), tellUndelivered(1)]).toEqual([
    '1 invitation revoked. The link no longer works.',
    '1 e-mail could not be delivered. Show it in the list to see why.',
  ]);
});
