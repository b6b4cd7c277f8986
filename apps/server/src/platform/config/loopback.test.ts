import { expect, test } from 'vitest';
import { isLoopback } from './loopback.ts';

test.each(['localhost', 'LOCALHOST', 'portal.localhost', '127.0.0.1', '127.9.8.7', '::1', '[::1]'])(
  'isLoopback returns true for %s',
  (host) => expect(isLoopback(host)).toBe(true),
);

test.each([
  '0.0.0.0',
  '::',
  '10.0.0.1',
  'portal.example.com',
  'localhost.example.com',
  '127.0.0.1.example.com',
  'notlocalhost',
  '',
])('isLoopback returns false for "%s"', (host) => expect(isLoopback(host)).toBe(false));
