import { expect, test } from 'vitest';
import { detectOpeningAgent } from './link-routes.ts';

const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const guess = (
  headers: Record<string, string | undefined>,
  more: Partial<Parameters<typeof detectOpeningAgent>[0]> = {},
) =>
  detectOpeningAgent({
    method: 'GET',
    headers: { 'user-agent': chrome, 'accept-language': 'de', 'sec-fetch-mode': 'navigate', ...headers },
    isSecure: true,
    secondsSinceMail: 3600,
    ...more,
  });

test.each([
  [chrome],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',
  ],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
  ],
  [
    'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
  ],
])('%s looks like a person', (program) => {
  expect(guess({ 'user-agent': program })).toBe('person');
});

test.each([
  [undefined],
  [''],
  ['curl/8.9.1'],
  ['python-requests/2.32'],
  ['Go-http-client/2.0'],
  ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'],
  ['Mozilla/5.0 (compatible; bingbot/2.0) SafeLinks'],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; Trident/7.0; Mimecast)'],
  ['Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)'],
  ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 HeadlessChrome/140.0.0.0 Safari/537.36'],
  ['Microsoft Office Existence Discovery'],
  ['WhatsApp/2.24'],
  ['Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)'],
])('%j looks like a scanner', (program) => {
  expect(guess({ 'user-agent': program })).toBe('scanner');
});

test('a HEAD, a prefetch, no language, no Sec-Fetch headers, or a request less than two seconds after the mail look like a scanner', () => {
  expect(guess({}, { method: 'HEAD' })).toBe('scanner');
  expect(guess({ 'sec-purpose': 'prefetch;prerender' })).toBe('scanner');
  expect(guess({ 'accept-language': undefined })).toBe('scanner');
  expect(guess({ 'sec-fetch-mode': undefined })).toBe('scanner');
  expect(guess({}, { secondsSinceMail: 1.5 })).toBe('scanner');
  expect(guess({}, { secondsSinceMail: 2 })).toBe('person');
  expect(guess({}, { secondsSinceMail: null })).toBe('person');
  // Browsers send no Sec-Fetch headers over plain HTTP.
  expect(guess({ 'sec-fetch-mode': undefined }, { isSecure: false })).toBe('person');
});
