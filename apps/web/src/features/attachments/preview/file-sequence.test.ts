import type { Attachment } from '@vestibule/contract/attachments';
import { describe, expect, test, vi } from 'vitest';
import { FileSequence } from './file-sequence.ts';

type Query = { offset: number; limit: number; search?: string };

const files = Array.from({ length: 120 }, (_, index) => ({ id: `file-${index}` }) as Attachment);
const { signal } = new AbortController();

function createSequence() {
  const fetchPage = vi.fn<(query: Query) => Promise<{ rows: Attachment[]; total?: number }>>(
    async ({ offset, limit }) => ({
      rows: files.slice(offset, offset + limit),
      ...(offset === 0 && { total: files.length }),
    }),
  );
  return { fetchPage, sequence: new FileSequence<Query>(fetchPage) };
}

describe('FileSequence', () => {
  test('neighbor returns adjacent files of the list and fetches missing ones (K7)', async () => {
    const { fetchPage, sequence } = createSequence();
    await sequence.fetchPage({ offset: 0, limit: 50 }, signal);
    expect(sequence.has('file-0', -1)).toBe(false);
    expect(await sequence.neighbor('file-0', -1)).toBeUndefined();
    expect((await sequence.neighbor('file-3', 1))?.id).toBe('file-4');
    expect(fetchPage).toHaveBeenCalledTimes(1);
    expect((await sequence.neighbor('file-49', 1))?.id).toBe('file-50');
    expect(fetchPage).toHaveBeenLastCalledWith({ offset: 50, limit: 1 }, expect.anything());
    await sequence.fetchPage({ offset: 100, limit: 50 }, signal);
    expect(sequence.has('file-118', 1)).toBe(true);
    expect(sequence.has('file-119', 1)).toBe(false);
  });

  test('requests that only count rows do not change the list (K7)', async () => {
    const { sequence } = createSequence();
    await sequence.fetchPage({ offset: 0, limit: 50 }, signal);
    await sequence.fetchPage({ offset: 0, limit: 0, search: 'of a filter' }, signal);
    expect(sequence.find('file-3')?.id).toBe('file-3');
    expect(sequence.has('file-3', 1)).toBe(true);
    expect((await sequence.neighbor('file-49', 1))?.id).toBe('file-50');
  });

  test('without a total, a page that is not full is the last one (K7)', async () => {
    const sequence = new FileSequence<Query>(async ({ offset, limit }) => ({
      rows: files.slice(offset, offset + limit),
    }));
    for (const offset of [0, 50]) await sequence.fetchPage({ offset, limit: 50 }, signal);
    expect(sequence.has('file-99', 1)).toBe(true);
    await sequence.fetchPage({ offset: 100, limit: 50 }, signal);
    expect(sequence.has('file-118', 1)).toBe(true);
    expect(sequence.has('file-119', 1)).toBe(false);
  });

  test('a file outside of the list has no neighbors, and the list of another search replaces the previous one (K7)', async () => {
    const { sequence } = createSequence();
    await sequence.fetchPage({ offset: 0, limit: 50 }, signal);
    expect(sequence.has('elsewhere', 1)).toBe(false);
    expect(await sequence.neighbor('elsewhere', 1)).toBeUndefined();
    await sequence.fetchPage({ offset: 0, limit: 2, search: 'x' }, signal);
    expect(sequence.find('file-1')).toBeDefined();
    expect(sequence.find('file-3')).toBeUndefined();
  });

  test('a late response to a previous search is ignored (K7)', async () => {
    const late = Promise.withResolvers<{ rows: Attachment[] }>();
    const sequence = new FileSequence<Query>(({ search, offset, limit }) =>
      search === 'late' ? late.promise : Promise.resolve({ rows: files.slice(offset, offset + limit) }),
    );
    const fetched = sequence.fetchPage({ offset: 0, limit: 1, search: 'late' }, signal);
    await sequence.fetchPage({ offset: 0, limit: 50 }, signal);
    late.resolve({ rows: [{ id: 'another' } as Attachment] });
    expect((await fetched).rows).toHaveLength(1);
    expect(sequence.find('another')).toBeUndefined();
    expect(sequence.has('file-3', 1)).toBe(true);
  });

  test('neighbor returns nothing if the list changes during the request (K7)', async () => {
    const next = Promise.withResolvers<void>();
    const sequence = new FileSequence<Query>(async ({ offset, limit, search }) => {
      if (limit === 1) await next.promise;
      return {
        rows: search === undefined ? files.slice(offset, offset + limit) : [{ id: 'x' } as Attachment],
      };
    });
    await sequence.fetchPage({ offset: 0, limit: 50 }, signal);
    const stepped = sequence.neighbor('file-49', 1);
    await sequence.fetchPage({ offset: 0, limit: 50, search: 'x' }, signal);
    next.resolve();
    expect(await stepped).toBeUndefined();
    expect(sequence.find('x')).toBeDefined();
    expect(sequence.find('file-50')).toBeUndefined();
  });

  test('watchers are called for each page and each count (K7)', async () => {
    const sequence = new FileSequence<Query>(async ({ offset, limit }) => ({
      rows: files.slice(offset, offset + limit),
      count: async () => files.length,
    }));
    const watcher = vi.fn<() => void>();
    const before = sequence.version();
    sequence.watch(watcher);
    const { count } = await sequence.fetchPage({ offset: 0, limit: 50 }, signal);
    expect(watcher).toHaveBeenCalledTimes(1);
    expect(await count?.()).toBe(120);
    expect(watcher).toHaveBeenCalledTimes(2);
    expect(sequence.version()).not.toBe(before);
  });

  test('neighbor uses the displayed list until another one has loaded (K7)', async () => {
    const sequence = new FileSequence<Query>(({ offset, limit, search }) =>
      search === undefined
        ? Promise.resolve({ rows: files.slice(offset, offset + limit) })
        : Promise.reject(new Error('lost')),
    );
    await sequence.fetchPage({ offset: 0, limit: 50 }, signal);
    await expect(sequence.fetchPage({ offset: 0, limit: 50, search: 'x' }, signal)).rejects.toThrow('lost');
    expect((await sequence.neighbor('file-49', 1))?.id).toBe('file-50');
    expect(sequence.has('file-50', 1)).toBe(true);
  });
});
