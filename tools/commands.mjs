import { siteUsages } from '../apps/server/src/command-usage.mjs';
import { serverFlags } from '../apps/server/src/server-flags.mjs';

/**
 * Commands of `npm run`. `needsWeb`: the script needs the built web application. `isSiteCommand`: the command is for operating a
 * site, so the image has it too. Plain JavaScript: see run.mjs.
 * @typedef {import('../apps/server/src/command-usage.mjs').Usage} Usage
 * @type {Record<string, Usage & { script: string; needsWeb: boolean; isSiteCommand?: boolean; flags?: string[] }>}
 */
export const commands = {
  start: {
    ...siteUsages.start,
    script: 'apps/server/src/main.ts',
    needsWeb: true,
    isSiteCommand: true,
    flags: serverFlags,
  },
  dev: {
    purpose: 'Starts the product of the checkout with hot reload.',
    script: 'tools/dev.ts',
    needsWeb: false,
  },
  test: {
    parameters: '[WORD…] [OPTION…]',
    purpose:
      'Runs all checks, or the tests whose paths contain the words; options are passed to the test runner.',
    script: 'tools/test.ts',
    needsWeb: false,
  },
  check: {
    purpose: 'Runs the static checks, and the tests of changed files.',
    options: { '--all': 'run all unit and server tests' },
    script: 'tools/check.ts',
    needsWeb: false,
  },
  format: {
    parameters: '[OPTION…]',
    purpose: 'Formats all files with oxfmt.',
    script: 'node_modules/oxfmt/bin/oxfmt',
    needsWeb: false,
  },
  bench: {
    parameters: '[NAME…] [OPTION…]',
    purpose: 'Runs all or the named measurements; bench/options.ts has the options.',
    script: 'bench/run.ts',
    needsWeb: true,
  },
  screenshots: {
    parameters: '[OPTION…]',
    purpose: 'Takes screenshots of every screen; e2e/screens/screenshots.ts has the options.',
    script: 'e2e/screens/screenshots.ts',
    needsWeb: true,
  },
  texts: {
    purpose: 'Extracts the texts of the code, and updates the files of all languages.',
    script: 'tools/texts.ts',
    needsWeb: false,
  },
  pack: {
    parameters: '[DIRECTORY] [--version 1.2.3]',
    purpose: 'Builds every package, and writes its tarball into DIRECTORY (default: dist/packages).',
    options: { '--version': 'version of the packages' },
    script: 'tools/release/pack.ts',
    needsWeb: false,
  },
  release: {
    parameters: '1.2.3 [--dry-run]',
    purpose: 'Checks, commits and tags a release. Nothing is pushed.',
    options: { '--dry-run': 'change nothing' },
    script: 'tools/release/release.ts',
    needsWeb: false,
  },
  backup: {
    ...siteUsages.backup,
    script: 'apps/server/src/commands/backup.ts',
    needsWeb: false,
    isSiteCommand: true,
  },
  restore: {
    ...siteUsages.restore,
    script: 'apps/server/src/commands/restore.ts',
    needsWeb: false,
    isSiteCommand: true,
  },
  'invite-administrator': {
    ...siteUsages['invite-administrator'],
    script: 'apps/server/src/commands/invite-administrator.ts',
    needsWeb: false,
    isSiteCommand: true,
  },
  'audit:verify': {
    ...siteUsages['audit:verify'],
    script: 'apps/server/src/commands/verify-audit.ts',
    needsWeb: false,
    isSiteCommand: true,
  },
  'b2c-emulator': {
    parameters: '--config FILE',
    purpose: 'Starts the emulator of Azure AD B2C: packages/b2c-emulator/README.md.',
    options: { '--config': 'JSON file of the configuration' },
    script: 'packages/b2c-emulator/src/cli.ts',
    needsWeb: false,
  },
};
