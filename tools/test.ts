/**
 * `npm test`: runs all checks. `npm test -- people`: unit tests whose paths contain the word; `npm test -- e2e/sign-in`: browser
 * tests; options are passed to the runner.
 */
import { chooseByWords } from './checks/tests/choose-tests.ts';
import { root } from './install.mjs';
import { runChecks, type Check } from './checks/run-checks.ts';
import { readTree } from './checks/source-imports.ts';
import { staticChecks, webBuild, webBuildAndSize } from './checks/static-checks.ts';
import { journeys, unitTests } from './checks/tests/test-runners.ts';

const parameters = process.argv.slice(2);

async function choose(): Promise<Check[][]> {
  const chosen = chooseByWords((await readTree(root)).keys(), parameters);
  return [
    ...(chosen.unit ? [[unitTests(chosen.unit)]] : []),
    ...(chosen.journeys ? [[webBuild], [journeys(chosen.journeys)]] : []),
  ];
}

if (parameters.length === 0)
  await runChecks([[...staticChecks, webBuildAndSize], [unitTests()], [journeys()]]);
else
  try {
    await runChecks(await choose(), 24 * 3600_000);
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
