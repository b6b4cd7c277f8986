import { expect, test } from 'vitest';
import { validateCounts } from './run-tests.ts';

const resultOf = (passed: number, failed = 0) => ({ passed, failed, skipped: 0 });

test('validateCounts returns the counts if they agree with the exit code', () => {
  expect(validateCounts(resultOf(3), 'exit code 0')).toEqual(resultOf(3));
  expect(validateCounts(resultOf(3, 1), 'exit code 1')).toEqual(resultOf(3, 1));
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
])('validateCounts throws for a runner that %s', (_what, result, end, message) => {
  expect(() => validateCounts(result, end)).toThrow(message);
});
