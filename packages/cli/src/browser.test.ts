import { chromium } from '@playwright/test';
import { expect, test } from 'vitest';
import { disabledByPlaywright, reasonOf } from './browser.ts';

test('the browser of the tests disables the same browser features as Playwright', async () => {
  // Node.js is not a browser: the launch fails, and the error has the command line.
  const begin = chromium.launch({ executablePath: process.execPath, timeout: 10_000 });
  const failure = await begin.then(() => '', String);
  const [, list] = /--disable-features=(\S+)/.exec(failure) ?? [];
  expect(list?.split(',').toSorted()).toEqual(disabledByPlaywright.toSorted());
});

test.each([
  [
    'Command failed: node cli.js install\nError: getaddrinfo EAI_AGAIN cdn.playwright.dev\n    at get (dns:1:2) {\n  errno: -3001\n}\n',
    'Error: getaddrinfo EAI_AGAIN cdn.playwright.dev',
  ],
  [
    'Command failed: apt-get install\nE: Unable to locate package chromium\n',
    'E: Unable to locate package chromium',
  ],
  ['spawn apt-get ENOENT', 'spawn apt-get ENOENT'],
])('the reason of a failed installation is one line', (message, reason) => {
  expect(reasonOf(new Error(message))).toBe(reason);
});
