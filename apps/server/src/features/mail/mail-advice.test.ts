import { expect, test } from 'vitest';
import { adviseOnMail } from './mail-advice.ts';

test.each([
  ['550 5.1.1 <ann@example.com>: Recipient address rejected: User unknown', 'This mailbox does not exist'],
  ['550-5.1.1 The email account that you tried to reach does not exist', 'This mailbox does not exist'],
  ['550 5.1.10 RESOLVER.ADR.RecipientNotFound', 'does not accept mail'],
  ['550 no such mailbox here', 'Check the spelling'],
  ['552 5.2.2 mailbox full', 'full'],
  ['452 4.2.2 over quota', 'full'],
  ['550 5.7.1 Message rejected as spam', 'spam'],
  ['554 Transaction failed', 'spam'],
  ['451 try again later', 'automatically'],
  ['421 Service not available', 'automatically'],
  ['Invalid login: 535 5.7.8 Error: authentication failed', 'SMTP_URL'],
  ['535 Authentication credentials invalid', 'SMTP_URL'],
  ['connect ECONNREFUSED 127.0.0.1:25', 'cannot be reached'],
  ['Connection timeout', 'cannot be reached'],
  ['getaddrinfo ENOTFOUND smtp.example.com', 'not found'],
  ['unable to verify the first certificate', 'certificate'],
  ['599 whatever', 'permanently'],
  ['something else', 'retried'],
  ['', 'retried'],
])('%j is explained with "%s"', (answer, words) => {
  const advice = adviseOnMail(answer).message;
  expect(advice).toContain(words);
  expect(advice).toMatch(/\.$/);
});
