import { expect, test } from 'vitest';
import { failedJourneys, failedTests } from './failed-tests.ts';

const esc = '\u001B';

test('failedJourneys returns failed and flaky tests of all suites with the start of the message', () => {
  const spec = (title: string, status: string, message: string) => ({
    title,
    file: 'door/in.spec.ts',
    line: 7,
    tests: [{ status, results: [{ errors: [{ message }] }] }],
  });
  const report = {
    suites: [
      {
        specs: [spec('opens', 'expected', 'never')],
        suites: [
          {
            specs: [spec('shuts', 'unexpected', `${esc}[31mPort 7 is taken${esc}[39m\n${'x'.repeat(2000)}`)],
          },
        ],
      },
      { specs: [spec('wavers', 'flaky', 'once')] },
    ],
  };
  const [failing = '', flaky] = failedJourneys(report);
  expect(failing.slice(0, 45)).toBe('door/in.spec.ts:7 shuts\nPort 7 is taken\nxxxxx');
  expect(failing.length).toBeLessThan(700);
  expect(flaky).toBe('door/in.spec.ts:7 wavers\nonce');
  expect(failedJourneys(report)).toHaveLength(2);
});

test('failedTests returns failed tests and files that could not be run', () => {
  const report = {
    testResults: [
      {
        name: 'a.test.ts',
        status: 'failed',
        message: '',
        assertionResults: [
          { fullName: 'adds', status: 'passed', failureMessages: [] },
          { fullName: 'takes', status: 'failed', failureMessages: ['1 is not 2'] },
        ],
      },
      { name: 'b.test.ts', status: 'failed', message: 'no such module', assertionResults: [] },
      { name: 'c.test.ts', status: 'passed', message: '', assertionResults: [] },
    ],
  };
  expect(failedTests(report)).toEqual(['a.test.ts takes\n1 is not 2', 'b.test.ts\nno such module']);
});
