import type { Attachment } from '@vestibule/contract/attachments';
import { expect, test, vi } from 'vitest';
import { FileSequence } from './file-sequence.ts';

type Query = { offset: number; limit: number; search?: string };

const files = Array.from({ length: 120 }, (_, index) => ({ id: `file-${index}` }) as Attachment);
const { signal } = new AbortController();

function listed() {
  const fetchPage = vi.fn<(query: Query) => Promise<{ rows: Attachment[]; total?: number }>>(
    async ({ offset, limit }) => ({
      rows: files.slice(offset, offset + limit),
      ...(offset === 0 && { total: files.length }),
    }),
  );
  return { fetchPage, sequence: new FileSequence<Query>(fetchPage) };
}

test('the next and the previous file are those of the list, also beyond what was shown (K7)', async () => {
  const { fetchPage, sequence } = listed();
  await sequence.fetchPage({ offset: 0, limit: 50 }, signal);
  expect(sequence.has('file-0', -1)).toBe(false);
  expect(await sequence.beside('file-0', -1)).toBeUndefined();
  expect((await sequence.beside('file-3', 1))?.id).toBe('file-4');
  expect(fetchPage).toHaveBeenCalledTimes(1);
  expect((await sequence.beside('file-49', 1))?.id).toBe('file-50');
  expect(fetchPage).toHaveBeenLastCalledWith({ offset: 50, limit: 1 }, expect.anything());
  await sequence.fetchPage({ offset: 100, limit: 50 }, signal);
  expect(sequence.has('file-118', 1)).toBe(true);
  expect(sequence.has('file-119', 1)).toBe(false);
});

test('what is only counted, for a filter, leaves the list as it is (K7)', async () => {
  const { sequence } = listed();
  await sequence.fetchPage({ offset: 0, limit: 50 }, signal);
  await sequence.fetchPage({ offset: 0, limit: 0, search: 'of a filter' }, signal);
  expect(sequence.find('file-3')?.id).toBe('file-3');
  expect(sequence.has('file-3', 1)).toBe(true);
  expect((await sequence.beside('file-49', 1))?.id).toBe('file-50');
});

test('where files are not counted, the page that is not full is the last (K7)', async () => {
  const sequence = new FileSequence<Query>(async ({ offset, limit }) => ({
    rows: files.slice(offset, offset + limit),
  }));
  for (const offset of [0, 50]) await sequence.fetchPage({ offset, limit: 50 }, signal);
  expect(sequence.has('file-99', 1)).toBe(true);
  await sequence.fetchPage({ offset: 100, limit: 50 }, signal);
  expect(sequence.has('file-118', 1)).toBe(true);
  expect(sequence.has('file-119', 1)).toBe(false);
});

test('a file that is not in the list has no neighbours; another search is another list (K7)', async () => {
  const { sequence } = listed();
  await sequence.fetchPage({ offset: 0, limit: 50 }, signal);
  expect(sequence.has('elsewhere', 1)).toBe(false);
  expect(await sequence.beside('elsewhere', 1)).toBeUndefined();
  await sequence.fetchPage({ offset: 0, limit: 2, search: 'x' }, signal);
  expect(sequence.find('file-1')).toBeDefined();
  expect(sequence.find('file-3')).toBeUndefined();
});
