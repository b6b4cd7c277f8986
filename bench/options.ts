import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    people: { type: 'string' },
    seconds: { type: 'string' },
    kills: { type: 'string', default: '20' },
    away: { type: 'string', default: '60' },
    write: { type: 'boolean', default: false },
  },
});

/**
 * Options of `npm run bench`: names select measurements, `--write` updates docs/benchmarks.md. `--people` and `--seconds` make a trial run.
 * `--kills` is the number of repetitions of the reliability tests, `--away` the seconds of the mail outage.
 */
export const options = {
  people: Number(values.people ?? 1_000_000),
  seconds: Number(values.seconds ?? 8),
  kills: Number(values.kills),
  awaySeconds: Number(values.away),
  names: positionals,
  write: values.write,
};

/** Whether this run only checks that the programs work; its figures are not comparable. */
export const isTrial = values.people !== undefined || values.seconds !== undefined;
