/**
 * Usage of commands: `--help`, and unknown parameters. Plain JavaScript, because the commands of `npm run` need it before the
 * installation.
 * @typedef {object} Usage
 * @property {string} [parameters] after the name; with "OPTION…", options are not checked; without any, none is accepted
 * @property {string} purpose
 * @property {Record<string, string>} [options] descriptions by name
 */

const environment = 'Uses the environment of the server: DATABASE_URL or DATA_DIR, SECRET.';

/** Commands for operating a site. */
export const siteUsages = {
  start: {
    purpose: 'Starts the server. Environment variables configure it: docs/configuration.md of Vestibule.',
  },
  backup: {
    parameters: 'FILE [--with-files] [--keep=7]',
    purpose: `Writes the database to FILE, encrypted with SECRET. If FILE is a directory or ends in /, the file in it is named after the time.\n${environment} The server can run meanwhile.`,
    options: {
      '--with-files': 'include the contents of files',
      '--keep': 'delete all but this number of the newest backups in the directory FILE',
    },
  },
  restore: {
    parameters: 'FILE [--for-testing]',
    purpose: `Restores the backup FILE to an empty database, and compares it with the backup.\n${environment} Start the server afterwards.`,
    options: { '--for-testing': 'drop waiting e-mails and turn webhooks off' },
  },
  'invite-administrator': {
    parameters: 'ADDRESS',
    purpose: `Prints an invitation of an administrator, if no administrator can sign in. A member with this ADDRESS becomes an administrator.\n${environment} The server can run meanwhile.`,
  },
  'audit:verify': {
    parameters: '[FILE…]',
    purpose: `Verifies that the activity log and its archive were not altered, or only the archive files FILE…\n${environment} The exit code is 1 if something was altered.`,
  },
};

/**
 * Prints the usage for `--help`, and for an unknown parameter. Returns the exit code, or undefined if the command can run.
 * @param {string} name
 * @param {Usage} usage
 * @param {string[]} given
 * @returns {number | undefined}
 */
export function answerUsage(name, { parameters = '', purpose, options = {} }, given) {
  const known = [...Object.keys(options), '--project'];
  const unknown = given.find((one, index) =>
    one.startsWith('-')
      ? !known.includes(one.split('=')[0] ?? '')
      : parameters === '' && given[index - 1] !== '--project',
  );
  const isHelp = given.includes('--help') || given.includes('-h');
  if (!isHelp && (unknown === undefined || parameters.includes('OPTION…'))) return undefined;
  const text = [
    `Usage: ${commandLine(name, parameters)}`,
    '',
    purpose,
    ...Object.entries({ ...options, '--help': 'show this text' }).map(
      ([option, description], index) => `${index === 0 ? '\n' : ''}  ${option.padEnd(16)} ${description}`,
    ),
  ].join('\n');
  if (isHelp) console.log(text);
  else console.error(`Unknown parameter: ${unknown}\n\n${text}`);
  return isHelp ? 0 : 2;
}

/**
 * Prints the commands. Returns the exit code: 0 if `name` asks for help, otherwise 2.
 * @param {string} name
 * @param {Record<string, Usage>} usages
 * @returns {number}
 */
export function answerCommands(name, usages) {
  const isHelp = name === '--help' || name === '-h' || name === 'help';
  const list = Object.entries(usages).map(
    ([command, { purpose }]) => `  ${command.padEnd(21)} ${purpose.split('\n')[0]}`,
  );
  const text = ['Usage: vestibule COMMAND [--help]', '', ...list].join('\n');
  if (isHelp) console.log(text);
  else console.error(name === '' ? text : `There is no command "${name}".\n\n${text}`);
  return isHelp ? 0 : 2;
}

/** @param {string} name @param {string} parameters */
function commandLine(name, parameters) {
  if (process.env.npm_lifecycle_event !== name) return `vestibule ${name} ${parameters}`.trimEnd();
  return `npm ${name === 'start' || name === 'test' ? name : `run ${name}`}${parameters && ` -- ${parameters}`}`;
}
