import { chromium } from '@playwright/test';
import { expect, test } from 'vitest';
import { switchedOffByPlaywright } from './browser.ts';

test('what Playwright switches off in a browser is switched off here as well', async () => {
  // Node.js is no browser: Playwright gives up, and says how it began.
  const begin = chromium.launch({ executablePath: process.execPath, timeout: 10_000 });
  const failure = await begin.then(() => '', String);
  const [, list] = /--disable-features=(\S+)/.exec(failure) ?? [];
  expect(list?.split(',').toSorted()).toEqual(switchedOffByPlaywright.toSorted());
});
