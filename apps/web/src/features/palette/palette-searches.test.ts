import { expect, test } from 'vitest';
import type { Finder } from '../../lib/finder.ts';
import { searchesFor, searchesKey } from './palette-searches.ts';

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

test('searchesFor ignores a single letter, also after a verb', () => {
  expect(asked('')).toEqual([]);
  expect(asked('p')).toEqual([]);
  expect(asked('revoke p').filter((job) => job.endsWith('| p'))).toEqual([]);
});

test('searchesFor searches for the text, and for items that a verb applies to', () => {
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

test('searchesFor ignores the text after a comma', () => {
  expect(searchesKey(searchesFor('pa@example.com, ', finders))).toBe(
    searchesKey(searchesFor('pa@example.com', finders)),
  );
  expect(asked('pa@example.com, disable')).toContain('People |  | pa@example.com');
});
