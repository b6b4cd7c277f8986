/** Reads failed tests from the reports of both test runners, to repeat them at the end of the output. */
import { stripVTControlCharacters } from 'node:util';

const shown = { lines: 12, characters: 600 };

type PlaywrightSuite = {
  specs?: {
    title: string;
    file: string;
    line: number;
    tests: { status: string; results: { errors: { message?: string }[] }[] }[];
  }[];
  suites?: PlaywrightSuite[];
};

export function failedJourneys({ suites = [], specs = [] }: PlaywrightSuite): string[] {
  const own = specs.flatMap(({ title, file, line, tests }) =>
    tests
      .filter(({ status }) => status === 'unexpected' || status === 'flaky')
      .map(({ results }) => {
        const messages = results.flatMap(({ errors }) => errors.map(({ message = '' }) => message));
        return describe(`${file}:${line} ${title}`, messages);
      }),
  );
  return [...own, ...suites.flatMap(failedJourneys)];
}

type VitestReport = {
  testResults?: {
    name: string;
    status: string;
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] | null }[];
  }[];
};

export function failedTests({ testResults = [] }: VitestReport): string[] {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (status === 'failed' && failed.length === 0) return [describe(name, [message])];
    return failed.map((test) => describe(`${name} ${test.fullName}`, test.failureMessages ?? []));
  });
}

function describe(title: string, messages: string[]): string {
  const lines = stripVTControlCharacters(messages.join('\n')).trim().split('\n').slice(0, shown.lines);
  return `${title}\n${lines.join('\n').slice(0, shown.characters)}`;
}
