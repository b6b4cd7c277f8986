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
  [
    'Invalid login: 535 5.7.3 Authentication unsuccessful [BN3PR03CA0067.namprd03.prod.outlook.com]',
    'SMTP_URL',
  ],
  [
    '535 5.7.139 Authentication unsuccessful, SmtpClientAuthentication is disabled for the Tenant.',
    'SMTP_URL',
  ],
  ['530 5.7.57 Client not authenticated to send mail.', 'SMTP_URL'],
  [
    '530-5.7.0 Authentication Required. For more information, go to\r\n530 5.7.0 https://support.google.com',
    'SMTP_URL',
  ],
  ['550 5.7.30 Basic authentication is not supported for Client Submission.', 'SMTP_URL'],
  ['504 5.7.4 Unrecognized authentication type', 'SMTP_URL'],
  ['502 5.7.0 Please authenticate first', 'SMTP_URL'],
  ['534-5.7.14 Please log in with your web browser and then try again.', 'SMTP_URL'],
  ['554 5.7.1 <ann@example.com>: Relay access denied', 'SMTP_URL'],
  ['550 5.7.54 SMTP; Unable to relay recipient in non-accepted domain', 'SMTP_URL'],
  ['554 5.2.252 SendAsDenied; a@example.com not allowed to send as b@example.com', 'sender address'],
  [
    '554 5.2.0 STOREDRV.Submission.Exception:SendAsDeniedException.MapiExceptionSendAsDenied',
    'sender address',
  ],
  ['550 5.7.60 SMTP; Client does not have permissions to send as this sender', 'sender address'],
  ['553 5.7.1 <a@example.com>: Sender address rejected: not owned by user b', 'sender address'],
  ['554 Message rejected: Email address is not verified. The following identities failed', 'sender address'],
  ['550-Verification failed for <a@example.com>\r\n550 Sender verify failed', 'sender address'],
  ['550 The from address does not match a verified Sender Identity.', 'sender address'],
  ['550 sender not validated', 'sender address'],
  ['554 5.2.0 STOREDRV.Submission.Exception:SubmissionQuotaExceededException', 'automatically'],
  ['550 5.4.5 Daily user sending limit exceeded', 'automatically'],
  ['450 4.7.1 <ann@example.com>: Recipient address rejected: Greylisted, try again', 'automatically'],
  ['421 4.7.0 [TSS04] Messages temporarily deferred due to unexpected volume', 'automatically'],
  ['550 5.7.26 Unauthenticated email from example.com is not accepted due to its DMARC policy', 'spam'],
  ['Greeting never received', 'cannot be reached'],
  ['connect ECONNREFUSED 127.0.0.1:25', 'cannot be reached'],
  ['Connection timeout', 'cannot be reached'],
  ['Connection closed unexpectedly', 'cannot be reached'],
  ['Reached maximum number of retries after connection was closed', 'cannot be reached'],
  ['getaddrinfo ENOTFOUND smtp.example.com', 'not found'],
  ['unable to verify the first certificate', 'certificate'],
  ['599 whatever', 'permanently'],
  ['something else', 'retried'],
  ['', 'retried'],
])('%j is explained with "%s"', (reply, words) => {
  const advice = adviseOnMail(reply).message;
  expect(advice).toContain(words);
  expect(advice).toMatch(/\.$/);
});
