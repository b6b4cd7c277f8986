import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { people: { type: 'string' }, seconds: { type: 'string' }, write: { type: 'boolean' } },
});

/** What the command line asks for: `--people 10000 --seconds 2` make a trial run; a name runs one measurement; `--write` keeps the figures. */
export const options = {
  /** People in the database while it is measured. */
  people: Number(values.people ?? 1_000_000),
  /** Length of one round of load. */
  seconds: Number(values.seconds ?? 8),
  names: positionals,
  /** Whether the figures go into docs/benchmarks.md. */
  write: values.write === true,
};

/** Whether the figures count: a trial run on fewer people or for less time only shows that the program works. */
export const isTrial = values.people !== undefined || values.seconds !== undefined;
