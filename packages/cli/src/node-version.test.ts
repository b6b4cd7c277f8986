import { expect, test } from 'vitest';
import { findVersionProblem } from './node-version.ts';

test('a Node.js that is too old is reported with the command that corrects it', () => {
  expect(findVersionProblem('20.20.2', true)).toMatch(
    /^Vestibule needs Node\.js 24, and this is 20\.20\.2\. .*npm rebuild/,
  );
  expect(findVersionProblem('20.20.2', false)).toMatch(/use npm start/);
  expect(findVersionProblem('24.1.0', true)).toBeUndefined();
});
