import { expect, test } from 'vitest';
import { validateReport } from './test-runners.ts';

const resultOf = (passed: number, failed = 0) => ({ counts: { passed, failed, skipped: 0 }, failures: [] });

test('returns the report if it agrees with the exit code', () => {
  expect(validateReport(resultOf(3), 'exit code 0')).toEqual(resultOf(3));
  expect(validateReport(resultOf(3, 1), 'exit code 1')).toEqual(resultOf(3, 1));
});

test.each([
  [
    'exited with 0 without any test, like an interrupted runner',
    resultOf(0),
    'exit code 0',
    'reported no test',
  ],
  ['was killed before its report', resultOf(0), 'exit code SIGKILL', 'SIGKILL and reported no test'],
  ['failed without a failed test', resultOf(3), 'exit code 1', 'It ended with exit code 1.'],
])('throws for a runner that %s', (_what, result, end, message) => {
  expect(() => validateReport(result, end)).toThrow(message);
});
