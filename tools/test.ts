/**
 * `npm test`: runs all checks. `npm test -- people`: unit and server tests whose paths contain the word; `npm test -- e2e/sign-in`: browser
 * journeys; options are passed to the runner.
 */
import { runChecks } from './checks/run-checks.ts';
import { journeyBrowser, journeys, unitTests } from './checks/run-tests.ts';
import { staticChecks, webBuild, webBuildAndSize } from './checks/static-checks.ts';

const parameters = process.argv.slice(2);
const firstOption = parameters.findIndex((parameter) => parameter.startsWith('-'));
const words = firstOption === -1 ? parameters : parameters.slice(0, firstOption);
const options = parameters.slice(words.length);
const isJourney = (word: string) => /^e2e(?:\/|$)/.test(word);
const unit = words.filter((word) => !isJourney(word));
// Playwright compares regular expressions with absolute paths.
const browser = words.filter(isJourney).map((word) => word.replace(/^e2e\/?/, 'e2e/.*'));

if (parameters.length === 0)
  await runChecks([[...staticChecks, webBuildAndSize, journeyBrowser], [unitTests()], [journeys()]]);
else if (words.length === 0) {
  console.error(`Name tests first: npm test -- people ${options.join(' ')}`);
  process.exitCode = 1;
} else
  await runChecks([
    ...(unit.length > 0 ? [[unitTests([...unit, ...options])]] : []),
    ...(browser.length > 0 ? [[webBuild], [journeys([...browser, ...options])]] : []),
  ]);
