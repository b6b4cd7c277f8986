/** Commands of a portal. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildImageDirectory } from './build-image-directory.ts';
import { buildWebIfChanged } from './build-web.mjs';
import { findPortal, findProgram, type Portal } from './project.ts';
import { runScript } from './run-script.mjs';
import { answerCommands, answerUsage, siteUsages } from '@vestibule/server/command-usage';
import { serverFlags } from '@vestibule/server/server-flags';
import { runTests } from './tests.ts';
import { updateTexts } from './texts.ts';

/** Runs a command and returns its exit code. */
type Command = (portal: Portal, parameters: string[]) => Promise<number>;

const usages = {
  start: siteUsages.start,
  dev: { purpose: 'Starts the portal with hot reload.' },
  test: {
    parameters: '[WORD…] [OPTION…]',
    purpose:
      'Runs all checks, or the tests whose paths contain the words; options are passed to the test runners.',
  },
  build: {
    parameters: '[DIRECTORY]',
    purpose: 'Writes a directory (default: dist) with everything that production needs, and a Dockerfile.',
  },
  texts: { purpose: 'Extracts the texts of the extensions into the files of their languages.' },
  backup: siteUsages.backup,
  restore: siteUsages.restore,
  'invite-administrator': siteUsages['invite-administrator'],
  'audit:verify': siteUsages['audit:verify'],
};

const runServerScript =
  (name: string, flags: string[] = []): Command =>
  (portal, parameters) =>
    runScript(process.execPath, [...flags, portal.serverScript(name), ...parameters], {
      cwd: portal.directory,
      env: portal.environment,
    });

const commands: Record<keyof typeof usages, Command> = {
  async start(portal, parameters) {
    await buildPortalWeb(portal);
    const project = ['--project', portal.directory];
    return runServerScript('main', serverFlags)(portal, [...project, ...parameters]);
  },
  async dev(portal) {
    const { runDevelopmentServer } = await import('./development-server.ts');
    Object.assign(process.env, portal.environment);
    return runDevelopmentServer({
      directory: portal.directory,
      viteConfig: portal.viteConfig,
      server: [portal.serverScript('main'), '--project', portal.directory],
      sources: [portal.directory],
    });
  },
  test: (portal, parameters) => runTests(portal, parameters, () => buildPortalWeb(portal)),
  async build(portal, parameters) {
    await buildPortalWeb(portal);
    return buildImageDirectory(portal, parameters);
  },
  texts: updateTexts,
  backup: runServerScript('commands/backup'),
  restore: (portal, parameters) =>
    runServerScript('commands/restore')(portal, ['--project', portal.directory, ...parameters]),
  'invite-administrator': runServerScript('commands/invite-administrator'),
  'audit:verify': runServerScript('commands/verify-audit'),
};

/** Runs a command in the current directory and returns its exit code. */
export async function runCommand([name = '', ...parameters]: string[]): Promise<number> {
  if (!isCommand(name)) return answerCommands(name, usages);
  try {
    return (
      answerUsage(name, usages[name], parameters) ??
      (await commands[name](findPortal(process.cwd()), parameters))
    );
  } catch (error) {
    console.error((error as Error).message);
    return 1;
  }
}

const isCommand = (name: string): name is keyof typeof usages => Object.hasOwn(usages, name);

/** Builds the web application with the screens of the extensions, if they or the packages have changed. */
async function buildPortalWeb(portal: Portal): Promise<void> {
  await buildWebIfChanged(
    {
      directory: portal.webPackage,
      output: portal.builtWeb,
      inputs: [
        portal.extensions,
        path.join(portal.directory, 'package-lock.json'),
        path.join(portal.webPackage, 'package.json'),
      ],
      lockFile: path.join(portal.directory, 'node_modules', '.vestibule-building'),
      vite: findProgram('vite', 'bin/vite.js'),
      parameters: ['--config', portal.viteConfig, '--outDir', portal.builtWeb, '--emptyOutDir'],
      // The build imports the extensions too, but its errors do not say what to change.
      checkInputs: () => loadExtensions(portal),
    },
    { node: process.execPath, env: portal.environment },
  );
}

/** Throws an Error that says what to change if the server could not load an extension. */
async function loadExtensions(portal: Portal): Promise<void> {
  const script = pathToFileURL(portal.serverScript('platform/extensions/load-extensions')).href;
  const server = (await import(script)) as { loadExtensions: (directory: string) => Promise<unknown> };
  await server.loadExtensions(portal.extensions);
}
