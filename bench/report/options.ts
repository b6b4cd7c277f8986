import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { people: { type: 'string' }, seconds: { type: 'string' }, write: { type: 'boolean' } },
});

/**
 * Options of `npm run bench`. `--people` and `--seconds` make a trial run, names select measurements, `--write` updates docs/benchmarks.md.
 */
export const options = {
  people: Number(values.people ?? 1_000_000),
  seconds: Number(values.seconds ?? 8),
  names: positionals,
  write: values.write === true,
};

/** Whether this run only checks that the programs work; its figures are not comparable. */
export const isTrial = values.people !== undefined || values.seconds !== undefined;
