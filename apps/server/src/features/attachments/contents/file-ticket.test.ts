import { expect, test } from 'vitest';
import { createFileTickets, type Ticket } from './file-ticket.ts';

const ticket: Ticket = {
  purpose: 'preview',
  expiresAtMs: 1_764_000_000_000,
  personId: '5e0f3c52-6f2b-4d0a-9a57-3b8a2b1c0d4e',
  signedInAt: 1_763_999_000_123,
  sessionId: '0f9a1f60-2f0d-4d70-8e0a-5d1f8c1e7a11',
  targetId: 'c7b7a2a4-1a53-4c9d-8f2e-6d5c4b3a2f10',
};
const tickets = createFileTickets({
  secret: Buffer.from('a secret for this test'),
  now: () => 1_763_999_999_999,
});

// Written by version 1.0.0, whose processes run beside newer ones during a rolling update.
test.each([
  [
    ticket,
    'AQGatpfoAF4PPFJvK00Kmlc7iiscDU7Ht6KkGlNMnY8ubVxLOi8QAZq2iKY7D5ofYC8NTXCOCl0fjB56EXH91z6VFSbgchqiDZzsICE',
  ],
  [
    { ...ticket, sessionId: null },
    'AQGatpfoAF4PPFJvK00Kmlc7iiscDU7Ht6KkGlNMnY8ubVxLOi8QAZq2iKY7AAAAAAAAAAAAAAAAAAAAAMrE8SoAeIUMpK_EeKJa9WY',
  ],
])('a link of 1.0.0 is valid, and 1.0.0 accepts the links of this version (U2)', (expected, written) => {
  expect(tickets.read(written)).toEqual(expected);
  expect(tickets.write(expected)).toBe(written);
  const forged = Buffer.from(written, 'base64url');
  forged[0] = 0;
  expect(tickets.read(forged.toString('base64url'))).toBeNull();
});
