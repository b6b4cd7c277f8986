import { expect, test } from 'vitest';
import type { Finder } from '../../lib/finder.ts';
import { searchesFor, keyOf } from './palette-searches.ts';

const finder = (title: string, labels: string[]): Finder => ({
  title,
  icon: () => null,
  order: 1,
  verbs: labels.map((label) => ({ label, filters: [{ label }] })),
  search: () => Promise.resolve([]),
});
const finders = [
  finder('People', ['Disable', 'Make member']),
  finder('Invitations', ['Revoke', 'Copy link']),
  finder('Files', ['Copy link']),
  // Has no search.
  { title: 'Settings', icon: () => null, order: 4 },
];
const asked = (text: string) =>
  searchesFor(text, finders).map((job) => [job.finder.title, job.verb?.label ?? '', job.search].join(' | '));

test('one letter is never searched for, behind a verb neither', () => {
  expect(asked('')).toEqual([]);
  expect(asked('p')).toEqual([]);
  expect(asked('revoke p').filter((job) => job.endsWith('| p'))).toEqual([]);
});

test('a text is searched for as it is, and a verb in it asks for what it can be done to', () => {
  expect(asked(' pa ')).toEqual(['People |  | pa', 'Invitations |  | pa', 'Files |  | pa']);
  expect(asked('copy link pa')).toEqual([
    'Invitations | Copy link | pa',
    'Files | Copy link | pa',
    'People |  | copy link pa',
    'Invitations |  | copy link pa',
    'Files |  | copy link pa',
  ]);
  expect(asked('revoke ')[0]).toBe('Invitations | Revoke | ');
});

test('what follows a comma narrows the actions and asks for nothing else', () => {
  expect(keyOf(searchesFor('pa@example.com, ', finders))).toBe(keyOf(searchesFor('pa@example.com', finders)));
  expect(asked('pa@example.com, disable')).toContain('People |  | pa@example.com');
});
