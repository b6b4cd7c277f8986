import { describe, expect, test } from 'vitest';
import { selectWithinQuota, type StorageUsage } from './quota.tsx';

const MB = 1024 ** 2;
const usage: StorageUsage = {
  mine: { used: 90 * MB, deleted: 0, quota: 100 * MB, files: 3 },
  all: { used: 90 * MB, quota: 1_000 * MB },
  fileMaximum: 50 * MB,
  scanned: false,
};

function fileOf(name: string, size: number): File {
  const file = new File([], name);
  Object.defineProperty(file, 'size', { value: size });
  return file;
}

const names = (files: readonly File[]) => files.map(({ name }) => name);

describe('selectWithinQuota', () => {
  test('accepts files that are small enough (K7)', () => {
    const { files, problem } = selectWithinQuota([fileOf('a', 4 * MB), fileOf('b', 6 * MB)], usage);
    expect(names(files)).toEqual(['a', 'b']);
    expect(problem).toBeNull();
  });

  test('rejects a file over the limit, with both sizes, and accepts the others (K7)', () => {
    const { files, problem } = selectWithinQuota([fileOf('film.mp4', 60 * MB), fileOf('b', 6 * MB)], usage);
    expect(names(files)).toEqual(['b']);
    expect(problem).toBe('film.mp4 is too large: 60 MB. The limit is 50 MB.');
  });

  test('rejects all files if there is not enough space, with the missing amount (K7)', () => {
    const { files, problem } = selectWithinQuota([fileOf('a', 6 * MB), fileOf('b', 6 * MB)], usage);
    expect(files).toEqual([]);
    expect(problem).toContain('you chose 12 MB, and 10 MB of your 100 MB are left');
  });

  test('counts deleted files that can be restored, and reports when their space becomes free (K7)', () => {
    const deleted = { ...usage, mine: { ...usage.mine, deleted: 40 * MB } };
    const { files, problem } = selectWithinQuota([fileOf('a', 12 * MB)], deleted);
    expect(files).toEqual([]);
    expect(problem).toContain('40 MB of deleted files are kept for 5 minutes. Then the space is freed.');
  });

  test('accepts all files while the quota is unknown (K7)', () => {
    expect(names(selectWithinQuota([fileOf('a', 1e12)], undefined).files)).toEqual(['a']);
  });
});
