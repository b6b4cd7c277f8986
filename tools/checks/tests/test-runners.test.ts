/** What a test runner's end and report are worth together. */
import { expect, test } from 'vitest';
import { believe } from './test-runners.ts';

const told = (passed: number, failed = 0) => ({ counts: { passed, failed, skipped: 0 }, failures: [] });

test('a runner is believed when its end and its report agree', () => {
  expect(believe(told(3), 'exit code 0')).toEqual(told(3));
  expect(believe(told(3, 1), 'exit code 1')).toEqual(told(3, 1));
});

test.each([
  ['ended well and told of no test, as one that broke off does', told(0), 'exit code 0', 'told of no test'],
  ['was killed before it could tell', told(0), 'exit code SIGKILL', 'SIGKILL and told of no test'],
  ['failed beside its tests', told(3), 'exit code 1', 'It ended with exit code 1.'],
])('a runner that %s has failed', (_what, result, end, message) => {
  expect(() => believe(result, end)).toThrow(message);
});
