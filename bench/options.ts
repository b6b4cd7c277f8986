import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    people: { type: 'string' },
    seconds: { type: 'string' },
    kills: { type: 'string', default: '20' },
    away: { type: 'string', default: '60' },
    pause: { type: 'string', default: '2' },
    directory: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});

const defaultPeople = 1_000_000;

/**
 * Options of `npm run bench`: names select measurements, `--write` updates docs/benchmarks.md. `--people` is the number of people, and of
 * invitations; fewer than a million, and `--seconds`, make a trial run.
 * `--directory` keeps the database there, and the next run with as many people does not insert them again.
 * `--kills` is the number of repetitions of the reliability tests, `--away` the seconds of the mail outage,
 * `--pause` the seconds before each burst.
 */
export const options = {
  people: Number(values.people ?? defaultPeople),
  seconds: Number(values.seconds ?? 8),
  kills: Number(values.kills),
  awaySeconds: Number(values.away),
  pauseSeconds: Number(values.pause),
  directory: values.directory,
  names: positionals,
  write: values.write,
};

/** Whether this run only checks that the programs work; its figures are not comparable. */
export const isTrial = options.people < defaultPeople || values.seconds !== undefined;

/** Returns the section of docs/benchmarks.md; more people than by default have separate sections. */
export const sectionOf = (name: string): string =>
  options.people === defaultPeople ? name : `${name} with ${options.people}`;
