import { serverFlags } from '../apps/server/src/server-flags.mjs';

/**
 * Commands of `npm run`. `needsWeb`: the script needs the built web application. `isSiteCommand`: the command is for operating a
 * site, so the image has it too. Plain JavaScript: see run.mjs.
 * @type {Record<string, { script: string; needsWeb: boolean; isSiteCommand?: boolean; flags?: string[] }>}
 */
export const commands = {
  start: { script: 'apps/server/src/main.ts', needsWeb: true, isSiteCommand: true, flags: serverFlags },
  dev: { script: 'tools/dev.ts', needsWeb: false },
  test: { script: 'tools/test.ts', needsWeb: false },
  check: { script: 'tools/check.ts', needsWeb: false },
  format: { script: 'node_modules/oxfmt/bin/oxfmt', needsWeb: false },
  bench: { script: 'bench/run.ts', needsWeb: true },
  screenshots: { script: 'e2e/screens/screenshots.ts', needsWeb: true },
  texts: { script: 'tools/texts.ts', needsWeb: false },
  pack: { script: 'tools/release/pack.ts', needsWeb: false },
  release: { script: 'tools/release/release.ts', needsWeb: false },
  backup: { script: 'apps/server/src/commands/backup.ts', needsWeb: false, isSiteCommand: true },
  restore: { script: 'apps/server/src/commands/restore.ts', needsWeb: false, isSiteCommand: true },
  'audit:verify': {
    script: 'apps/server/src/commands/verify-audit.ts',
    needsWeb: false,
    isSiteCommand: true,
  },
  'b2c-emulator': { script: 'packages/b2c-emulator/src/cli.ts', needsWeb: false },
};
