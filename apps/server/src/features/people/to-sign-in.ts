/**
 * A sign-in as people are told of it. Browser and system are read from the User-Agent header, for people to recognise their
 * own: no more than a hint.
 */
import type { SignIn } from '@vestibule/contract/people';
import type { SignInRow } from './people-store.ts';

/** The first that matches; later ones claim to be earlier ones. */
const browsers: [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\/|\bOpera\b/, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const systems: [RegExp, string][] = [
  [/\biPhone\b|\biPad\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

export function toSignIn({ id, at, address, user_agent: userAgent }: SignInRow): SignIn {
  return { id, at: at.toISOString(), address, ...describeAgent(userAgent) };
}

/** What a User-Agent header says of a browser and its system. */
export function describeAgent(userAgent: string): Pick<SignIn, 'browser' | 'system'> {
  const nameIn = (names: [RegExp, string][]) =>
    names.find(([pattern]) => pattern.test(userAgent))?.[1] ?? null;
  return { browser: nameIn(browsers), system: nameIn(systems) };
}
