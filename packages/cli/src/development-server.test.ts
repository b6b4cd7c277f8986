import { expect, test } from 'vitest';
import { isServerFile } from './development-server.ts';

test.each([
  ['/portal/extensions/tickets/extension.ts', true],
  ['/portal/extensions/tickets/contract.ts', true],
  ['/portal/extensions/tickets/migrations/002-priority.sql', true],
  ['/portal/extensions/tickets/tickets-screen.tsx', false],
  ['/portal/extensions/tickets/locales/de.po', false],
  ['/portal/extensions/tickets/tickets.test.ts', false],
  ['/portal/extensions/tickets/tickets.journey.ts', false],
])('a change of %s restarts the server: %s', (file, restarts) => {
  expect(isServerFile(file)).toBe(restarts);
});
