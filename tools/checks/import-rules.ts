/** Import rules: the table of docs/architecture.md. Checked by check-imports.ts. */
export type Row = {
  place: string;
  /** The first capture group is the area. Areas of one place never import each other. */
  files: RegExp;
  /**
   * Places that may be imported. A name after `import()` may be imported only dynamically. Imports within an area are always allowed.
   */
  may: string[];
  /** Packages that may be imported; `node:` means all built-in modules. */
  packages: string[] | 'any';
};

const row = (place: string, files: RegExp, may: string[], packages: Row['packages'] = 'any'): Row => ({
  place,
  files,
  may,
  packages,
});

const contract = ['contract', 'route definitions'];
/** Module of the build, with the screens of extensions. */
const extensions = 'virtual:extensions';
const screens = ['react', 'react-dom', '@tabler/icons-react', '@lingui/core', '@lingui/react'];
const tanstack = ['@tanstack/react-router', '@tanstack/react-query'];
const webParts = ['web ui', 'web lib', 'web language', ...contract];
const featurePackages: Record<string, string[]> = {
  auth: ['@azure/msal-browser'],
  invitations: ['uqr'],
  attachments: ['tus-js-client', 'pdfjs-dist'],
  activity: [extensions],
  organizations: [extensions],
  people: [extensions],
  settings: [extensions],
};
const server = ['server feature', 'server platform', ...contract];
const product = [
  ...server,
  'server flags',
  'cli',
  'testing',
  'server tests',
  'b2c-emulator',
  'dev-mailbox',
  'web ui',
  'web build',
  'gallery',
];

/** The first matching row applies. */
export const table: Row[] = [
  // Building blocks of routes. They are separate from the contract, because the server platform may import them but no area of the
  // contract.
  row(
    'route definitions',
    /^packages\/contract\/src\/(?:route|texts\/[\w-]+|request-errors|values|organizations\/permissions|rules\/(?:limits|language|clean-text|cut-text|link-code))(?<!\.test)\.ts$/,
    [],
    ['zod'],
  ),
  row('spreadsheet text', /^packages\/contract\/src\/rules\/spreadsheet-text\.ts$/, [], []),
  row('contract tests', /^packages\/contract\/.*\.test\.ts$/, [...contract, 'spreadsheet text']),
  row('contract', /^packages\/contract\//, ['route definitions'], ['zod']),
  row('client', /^packages\/client\/src\//, contract, []),
  row('client build', /^packages\/client\/build\.ts$/, [], ['node:']),
  row('emulator tests', /^packages\/b2c-emulator\/.*(?:\.test|\/test-[\w-]+)\.ts$/, ['b2c-emulator']),
  row('b2c-emulator', /^packages\/b2c-emulator\//, [], ['node:', 'fastify', 'jose', 'zod']),
  row('dev-mailbox tests', /^packages\/dev-mailbox\/.*\.test\.ts$/, ['dev-mailbox']),
  row('dev-mailbox', /^packages\/dev-mailbox\//, [], ['node:', 'fastify', 'postal-mime', 'smtp-server']),
  // These tests check that a token of the provider or the server is invalid at the other and is not stored there.
  row(
    'tests with the provider',
    /^apps\/server\/src\/(?:test\/secrets\/test-[\w-]+|(?:every-token|secrets)\.test)\.ts$/,
    ['server tests', ...server, 'emulator tests'],
  ),
  row('server tests', /^apps\/server\/(?:.*\.test|(?:.*\/)?test-[\w-]+)\.ts$/, [
    ...server,
    'client',
    'server main',
    'app.ts',
    'extension',
  ]),
  row('server flags', /^apps\/server\/src\/(?:server-flags|command-usage)\.\w+$/, [], ['node:']),
  row('cli', /^packages\/cli\//, ['server flags']),
  row('testing', /^packages\/testing\//, ['server flags'], ['node:', '@playwright/test', 'pg']),
  row('create-vestibule tests', /^packages\/create-vestibule\/src\/.*\.test\.ts$/, ['create-vestibule']),
  row('create-vestibule', /^packages\/create-vestibule\/src\//, [], ['node:']),
  // The public entries for extensions, and the example extension.
  row('template journeys', /^packages\/create-vestibule\/template\/.*\.journey\.ts$/, ['testing'], []),
  row('extension entry', /^apps\/server\/src\/extension\.ts$/, ['server platform']),
  row('extension testing', /^apps\/server\/src\/testing\.ts$/, ['server tests']),
  row('template screens', /^packages\/create-vestibule\/template\/.*\.tsx$/, [
    ...contract,
    'screens entry',
    'template',
  ]),
  row('template tests', /^packages\/create-vestibule\/template\/.*\.test\.ts$/, [
    ...contract,
    'extension testing',
    'template',
  ]),
  row('template', /^packages\/create-vestibule\/template\//, [...contract, 'extension entry']),
  row('server main', /^apps\/server\/src\/(?:main\.ts$|(?:startup|commands)\/)/, [
    'app.ts',
    'server feature',
    'server platform',
    'import() b2c-emulator',
    'import() dev-mailbox',
    'server flags',
  ]),
  // app.ts imports the contract for access errors and the browser configuration.
  row('app.ts', /^apps\/server\/src\/app\.ts$/, server),
  row('server feature', /^apps\/server\/src\/features\/([\w-]+)\//, ['server platform', ...contract]),
  row('extension', /^apps\/server\/src\/extensions\/([\w-]+)(?:\.ts$|\/)/, [
    'server platform',
    'extension entry',
    ...contract,
  ]),
  row('server platform', /^apps\/server\/src\/platform\//, ['route definitions', 'spreadsheet text']),
  row('web tests', /^apps\/web\/.*(?:\.test|\/test-[\w-]+)\.tsx?$/, [
    'web start',
    'web route',
    'web feature',
    'web build',
    'web extensions',
    ...webParts,
  ]),
  row(
    'web start',
    /^apps\/web\/src\/(?:main\.ts|application\.tsx)$/,
    ['route tree', 'web feature', 'choice cookie', ...webParts],
    [...screens, ...tanstack, extensions],
  ),
  row('route tree', /^apps\/web\/src\/route-tree\.gen\.ts$/, ['web route'], tanstack),
  row(
    'web route',
    /^apps\/web\/src\/routes\/([\w.$/-]+)\.tsx$/,
    ['web feature', ...webParts],
    [...screens, ...tanstack, extensions],
  ),
  // The public entry for screens of extensions, and what adds them to the application.
  row('screens entry', /^apps\/web\/src\/screens\.ts$/, ['web extensions', 'web feature', ...webParts]),
  row('web extensions', /^apps\/web\/src\/extensions\//, webParts, [...screens, ...tanstack, extensions]),
  ...[
    'activity',
    'organizations',
    'people',
    'settings',
    'auth',
    'invitations',
    'attachments',
    String.raw`[\w-]+`,
  ].map((name) =>
    row(
      'web feature',
      new RegExp(String.raw`^apps/web/src/features/(${name})/`),
      [...webParts, 'choice cookie', 'spreadsheet text'],
      [...screens, ...tanstack, ...(featurePackages[name] ?? [])],
    ),
  ),
  row(
    'web ui',
    /^apps\/web\/src\/ui\//,
    ['web language', 'spreadsheet text'],
    [...screens, 'ag-grid-community', 'ag-grid-enterprise', 'ag-grid-react'],
  ),
  // Separate from web lib, because the web language imports it: the language is a stored choice and loads before everything else.
  row('choice cookie', /^apps\/web\/src\/lib\/choice-cookie\.ts$/, [], []),
  row(
    'web lib',
    /^apps\/web\/src\/lib\//,
    ['choice cookie', 'web language', 'spreadsheet text', ...contract],
    [
      'react',
      '@lingui/core',
      '@simplewebauthn/browser',
      ...tanstack,
      'papaparse',
      'fflate',
      'read-excel-file',
    ],
  ),
  row(
    'web language',
    /^apps\/web\/src\/language\//,
    ['choice cookie', 'route definitions'],
    ['@lingui/core', 'texts:catalogs', 'texts:languages'],
  ),
  // The gallery is the test page of the UI kit, not part of the product.
  row('gallery', /^apps\/web\/gallery\//, ['web ui', 'web language', 'web build']),
  // The build renders the login screen into the page.
  row('web build', /^apps\/web\/[\w.-]+\.ts$/, ['web ui', 'route definitions']),
  // The following places may import the whole product and the places above them; the product never imports these.
  row('tools', /^tools\/(?!integration\/)|^[\w.-]+\.ts$/, product),
  row('e2e', /^e2e\//, [...product, 'tools', 'screens entry']),
  row('bench', /^bench\//, [...product, 'tools', 'e2e']),
  row('integration', /^tools\/integration\//, [...product, 'tools', 'e2e', 'bench']),
];

/** Allowed imports between server features, with reasons. */
export const allowedFeatureImports: Record<string, string> = {
  'invitations → mail': 'the invitation mail is queued in the same transaction',
  'invitations → settings': 'lifetime, allowed domains, limits, and the name and logo in mails are settings',
  'invitations → people': 'inviters and invited people are shown with their names',
  'auth → attachments':
    'shares of an invitee become shares of the person in the transaction that creates the person',
  'auth → mail': 'sends the code that verifies an invited address',
  'auth → settings': 'session lifetime and the sign-in method of a domain are settings',
  'auth → people': 'finds or creates the person of a caller',
  'auth → invitations': 'the first call redeems the invitation in the transaction that creates the person',
  'organizations → invitations':
    'deleting an organization revokes its invitations in the same transaction; an approved request to join creates one',
  'tokens → mail': 'owners get a mail before a token expires',
  'organizations → mail': 'managers get mails about missing DNS records and about requests to join',
  'organizations → settings': 'these mails use the name, logo and language of the settings',
  'auth → organizations':
    'a new person joins the organization of their domain in the transaction that creates the person',
  'extensions → invitations': 'extensions invite people in the transaction of their change',
  'extensions → mail': 'mails of extensions have the layout of all mails',
  'extensions → settings': 'mails and invitations of extensions use the settings',
  'people → attachments': 'files of a removed person are transferred or deleted in the same transaction',
  'people → mail': 'role changes and disabling queue a mail in the same transaction',
  'people → settings': 'mails use the name, logo and language of the settings',
  'applications → auth': 'a sign-in at an application belongs to a session of the site',
  'applications → tokens': 'programs open applications with a personal access token',
  'configuration → settings': 'the browser shows the name, logo and support address of the settings',
  'activity → people': 'actors and targets are shown with their names',
  'profile → people': 'profile data and sessions belong to the person',
  'profile → invitations': 'the invitations of a person are part of their exported data',
  'settings → mail': 'Settings shows previews of mails and sends a test mail',
  'dashboard → people': 'the dashboard shows the sign-ins of the caller',
  'webhooks → mail': 'administrators get a mail when a webhook is disabled',
  'webhooks → settings': 'that mail uses the name, logo and language of the settings',
  'scim → invitations': 'people of the directory are invited',
  'scim → people': 'people who are deactivated in the directory are disabled',
  'scim → organizations': 'the directory of an organization adds and removes its members',
  'scim → settings': 'invitations use the settings',
};
