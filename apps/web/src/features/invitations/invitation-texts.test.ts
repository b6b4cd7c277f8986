import { describe, expect, test } from 'vitest';
import { mailProblem, revokedMessage, undeliveredMessage } from './invitation-texts.ts';

const advice = (message: string) => ({ code: 'mail_advice.any', message, values: {} });

describe('invitation texts', () => {
  test.each([
    ['550 5.1.1 User unknown', 'Check it.', 'The mail server said: “550 5.1.1 User unknown”. Check it.'],
    ['421 busy', 'Wait.', 'The mail server said: “421 busy”. Wait.'],
    ['connect ECONNREFUSED 127.0.0.1:25', 'It cannot be reached.', 'It cannot be reached.'],
    ['Connection timeout', 'It cannot be reached.', 'It cannot be reached.'],
    [null, '', null],
  ])('mailProblem quotes %j only if it is a reply of the mail server', (mailError, what, expected) => {
    expect(mailProblem({ mailError, mailAdviceText: advice(what) })).toBe(expected);
  });

  test('texts about one invitation or e-mail are singular', () => {
    expect([revokedMessage(1), undeliveredMessage(1)]).toEqual([
      '1 invitation revoked. The link no longer works.',
      '1 e-mail could not be delivered. Show it in the list to see why.',
    ]);
  });
});
