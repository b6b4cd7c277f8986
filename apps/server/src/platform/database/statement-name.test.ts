import { expect, test } from 'vitest';
import { statementName } from './statement-name.ts';

test.each([
  ["select name from people where email = 'ann@example.com'", 'select people'],
  ['\n  insert into invitations (id) values ($1)', 'insert invitations'],
  ['update "people" set name = $1', 'update people'],
  ['with new as (insert into jobs.job values ($1)) select 1', 'with jobs.job'],
  ['-- ann\n(select 1)', 'select'],
  ["'ann'", 'statement'],
])('the statement %j is named %s', (text, name) => {
  expect(statementName({ text })).toBe(name);
});

test('the name of a prepared statement is returned unchanged', () => {
  expect(statementName({ name: 'find-caller', text: 'select 1' })).toBe('find-caller');
});
