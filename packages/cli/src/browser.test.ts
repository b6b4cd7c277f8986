import { chromium } from '@playwright/test';
import { expect, test } from 'vitest';
import { disabledByPlaywright } from './browser.ts';

test('the browser of the tests disables the same browser features as Playwright', async () => {
  // Node.js is not a browser: the launch fails, and the error has the command line.
  const begin = chromium.launch({ executablePath: process.execPath, timeout: 10_000 });
  const failure = await begin.then(() => '', String);
  const [, list] = /--disable-features=(\S+)/.exec(failure) ?? [];
  expect(list?.split(',').toSorted()).toEqual(disabledByPlaywright.toSorted());
});
