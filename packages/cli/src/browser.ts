/**
 * Finds or installs the Chromium for browser tests, screenshots and measurements. Prefers an installed browser; the download of
 * Playwright is the last resort.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { chromium, type LaunchOptions } from '@playwright/test';

const run = promisify(execFile);

/** Returns the launch options of all browsers: they work as root and in containers, and without background network access. */
export async function browserLaunch(): Promise<LaunchOptions> {
  return {
    executablePath: await findBrowser(),
    args: chromiumArguments,
    // Playwright disables the back/forward cache, but users have it.
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
  };
}

/**
 * Chromium uses only the last list of disabled features, so this list repeats the features that Playwright disables (compared in
 * browser.test.ts).
 */
export const disabledByPlaywright = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'msForceBrowserSignIn',
  'msEdgeUpdateLaunchServicesPreferredVersion',
];

/**
 * Address bar pages of windows that are never visible. Each new context would load every page in its own process, which takes 0.7 s of
 * processor time.
 */
const addressBarFeatures = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'PreloadTopChromeWebUI',
];

/** Chromium starts a spare process after each navigation; disabling it saves a fifth of the test time. */
const spareProcess = 'SpareRendererForSitePerProcess';

const chromiumArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${[...disabledByPlaywright, ...addressBarFeatures, spareProcess].join(',')}`,
];

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge'];

/** Usual paths of Chromium, Google Chrome and Microsoft Edge on this system. */
function installPaths(): string[] {
  if (process.platform === 'win32')
    return [process.env['ProgramFiles'], process.env['ProgramFiles(x86)']].flatMap((directory = '') => [
      path.join(directory, 'Google/Chrome/Application/chrome.exe'),
      path.join(directory, 'Microsoft/Edge/Application/msedge.exe'),
    ]);
  if (process.platform === 'darwin')
    return ['Chromium', 'Google Chrome', 'Microsoft Edge'].map(
      (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
    );
  const directories = [
    ...(process.env['PATH'] ?? '').split(':').filter((directory) => path.isAbsolute(directory)),
    '/usr/bin',
  ];
  return names.flatMap((name) => directories.map((directory) => path.join(directory, name)));
}

/**
 * Returns the path of Chromium, Google Chrome or Microsoft Edge: CHROMIUM_PATH, an installed browser, one from the packages of the
 * system (Linux, as root), or the download of Playwright. Throws an Error that says what to install.
 */
export async function findBrowser(): Promise<string> {
  const named = process.env['CHROMIUM_PATH'];
  if (named) {
    if (await isWorkingBrowser(named)) return named;
    throw new Error(`CHROMIUM_PATH names ${named}, which does not start. Correct it or leave it out.`);
  }
  const browser =
    (await findInstalled()) ?? (await installByApt()) ?? (await findDownloaded()) ?? (await download());
  if (browser !== undefined) return browser;
  throw new Error(
    'No browser was found: install Chromium or Google Chrome, or set CHROMIUM_PATH to an installed one, and start again.',
  );
}

/**
 * Returns the path of Debian's headless shell, which needs an eighth less processor time than the browser but has no back/forward cache;
 * undefined without it, or if HEADLESS_SHELL is empty.
 */
export async function findHeadlessShell(): Promise<string | undefined> {
  const file = process.env['HEADLESS_SHELL'] ?? '/usr/bin/chromium-headless-shell';
  return (await isWorkingBrowser(file)) ? file : undefined;
}

async function findInstalled(): Promise<string | undefined> {
  for (const file of installPaths()) if (await isWorkingBrowser(file)) return file;
  return undefined;
}

async function installByApt(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    return undefined;
  console.log('Installing Chromium by apt-get. This happens once …');
  const options = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, maxBuffer: 2 ** 26 };
  const install = (...packages: string[]) =>
    run('apt-get', ['install', '-y', '--no-install-recommends', ...packages], options);
  await run('apt-get', ['update'], options)
    .then(() => install('chromium', 'chromium-headless-shell').catch(() => install('chromium')))
    .catch((error: Error) => console.log(`apt-get could not install it: ${reasonOf(error)}`));
  return findInstalled();
}

async function findDownloaded(): Promise<string | undefined> {
  const file = chromium.executablePath();
  return (await isWorkingBrowser(file)) ? file : undefined;
}

async function download(): Promise<string | undefined> {
  console.log("Downloading Playwright's Chromium. This happens once …");
  const playwright = createRequire(import.meta.url).resolve('@playwright/test/cli');
  await run(process.execPath, [playwright, 'install', 'chromium'], { maxBuffer: 2 ** 26 }).catch(
    (error: Error) => console.log(`It could not be downloaded: ${reasonOf(error)}`),
  );
  return findDownloaded();
}

/** Returns the line that says why a program failed, from the error of `execFile`, which contains the output. */
export function reasonOf({ message }: Error): string {
  const lines = message.split('\n');
  return lines.findLast((line) => /^E(?:rror)?: /.test(line)) ?? lines[0] ?? '';
}

/** Returns whether the browser prints its version. Some distributions install a script that only prints how to install it. */
async function isWorkingBrowser(file: string): Promise<boolean> {
  if (!existsSync(file)) return false;
  // On Windows --version opens a window instead.
  if (process.platform === 'win32') return true;
  return run(file, ['--version'], { timeout: 20_000 }).then(
    () => true,
    () => false,
  );
}
