import { expect, test } from 'vitest';
import { findLanguage, languageOfRequest } from './language.ts';

const languages = ['en', 'de', 'fr'];

test.each([
  ['de', 'de'],
  ['de-AT,de;q=0.9,en;q=0.8', 'de'],
  ['en;q=0.5, fr;q=0.7', 'fr'],
  ['nl, de;q=0', 'en'],
  ['zh', 'en'],
  ['*', 'en'],
  ['', 'en'],
  [';;;,,=', 'en'],
])('languageOfRequest reads the header Accept-Language: %j as the language %s', (accepted, language) => {
  expect(languageOfRequest({ 'accept-language': accepted }, languages)).toBe(language);
});

test('languageOfRequest prefers the cookie to the header, and ignores unknown languages', () => {
  const german = { 'accept-language': 'de' };
  expect(languageOfRequest({ ...german, cookie: 'theme=ink; language=fr' }, languages)).toBe('fr');
  expect(languageOfRequest({ ...german, cookie: 'language=xx' }, languages)).toBe('de');
  expect(languageOfRequest({ ...german, cookie: 'otherlanguage=fr' }, languages)).toBe('de');
  expect(findLanguage(['FR-ca'], languages)).toBe('fr');
});
