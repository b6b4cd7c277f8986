/** Import rules: the table of docs/architecture.md. Checked by check-imports.ts. */
export type Row = {
  place: string;
  /** The first capture group is the area. Areas of one place never import each other. */
  files: RegExp;
  /** Places that may be imported. Imports within an area are always allowed. */
  may: string[];
  /** Places that may only be imported with `import()`, so that they load on demand. */
  mayImportDynamically?: string[];
  /** Packages that may be imported; `node:` means all built-in modules. */
  packages: string[] | 'any';
};

const react = ['react', 'react-dom', '@tabler/icons-react'];
const lingui = ['@lingui/core', '@lingui/react'];
const tanstack = ['@tanstack/react-router', '@tanstack/react-query'];

/** The first matching row applies. */
export const table: Row[] = [
  // Building blocks of routes: the server platform needs them and knows no area.
  {
    place: 'route definitions',
    files:
      /^packages\/contract\/src\/(?:route|texts\/[\w-]+|request-errors|values|rules\/(?:limits|language|clean-text|cut-text|link-code))(?<!\.test)\.ts$/,
    may: [],
    packages: ['zod'],
  },
  {
    place: 'spreadsheet text',
    files: /^packages\/contract\/src\/rules\/spreadsheet-text\.ts$/,
    may: [],
    packages: [],
  },
  {
    place: 'contract tests',
    files: /^packages\/contract\/.*\.test\.ts$/,
    may: ['contract', 'route definitions', 'spreadsheet text'],
    packages: 'any',
  },
  {
    place: 'contract',
    files: /^packages\/contract\//,
    may: ['route definitions'],
    packages: ['zod'],
  },
  {
    place: 'client',
    files: /^packages\/client\/src\//,
    may: ['contract', 'route definitions'],
    packages: [],
  },
  {
    place: 'client build',
    files: /^packages\/client\/build\.ts$/,
    may: [],
    packages: ['node:'],
  },
  {
    place: 'b2c-emulator tests',
    files: /^packages\/b2c-emulator\/.*(?:\.test\.ts|\/test-[\w-]+\.ts)$/,
    may: ['b2c-emulator'],
    packages: 'any',
  },
  {
    place: 'b2c-emulator',
    files: /^packages\/b2c-emulator\//,
    may: [],
    packages: ['node:', 'fastify', 'jose'],
  },
  {
    place: 'dev-mailbox tests',
    files: /^packages\/dev-mailbox\/.*\.test\.ts$/,
    may: ['dev-mailbox'],
    packages: 'any',
  },
  {
    place: 'dev-mailbox',
    files: /^packages\/dev-mailbox\//,
    may: [],
    packages: ['node:', 'fastify', 'postal-mime', 'smtp-server'],
  },
  // These tests check that a token of the provider or the server is invalid at the other and is not stored there.
  {
    place: 'tests with the provider',
    files: /^apps\/server\/src\/(?:test\/secrets\/test-[\w-]+|(?:every-token|secrets)\.test)\.ts$/,
    may: [
      'server tests',
      'server feature',
      'server platform',
      'contract',
      'route definitions',
      'b2c-emulator tests',
    ],
    packages: 'any',
  },
  {
    place: 'server tests',
    files: /^apps\/server\/(?:.*\.test|(?:.*\/)?test-[\w-]+)\.ts$/,
    may: [
      'client',
      'server main',
      'app.ts',
      'server feature',
      'extension',
      'server platform',
      'contract',
      'route definitions',
    ],
    packages: 'any',
  },
  {
    place: 'server main',
    files: /^apps\/server\/src\/(?:main\.ts$|startup\/)/,
    may: ['app.ts', 'server feature', 'server platform'],
    mayImportDynamically: ['b2c-emulator', 'dev-mailbox'],
    packages: 'any',
  },
  {
    place: 'app.ts',
    files: /^apps\/server\/src\/app\.ts$/,
    // The contract: for access errors and the browser configuration.
    may: ['server feature', 'server platform', 'contract', 'route definitions'],
    packages: 'any',
  },
  {
    place: 'server feature',
    files: /^apps\/server\/src\/features\/([\w-]+)\//,
    may: ['server platform', 'contract', 'route definitions'],
    packages: 'any',
  },
  {
    place: 'extension',
    files: /^apps\/server\/src\/extensions\/([\w-]+)(?:\.ts$|\/)/,
    may: ['server platform', 'contract', 'route definitions'],
    packages: 'any',
  },
  {
    place: 'server platform',
    files: /^apps\/server\/src\/platform\//,
    may: ['route definitions', 'spreadsheet text'],
    packages: 'any',
  },
  {
    place: 'web tests',
    files: /^apps\/web\/.*\.test\.tsx?$/,
    may: [
      'web start',
      'web route',
      'web feature',
      'web ui',
      'web lib',
      'web language',
      'contract',
      'route definitions',
    ],
    packages: 'any',
  },
  {
    place: 'web start',
    files: /^apps\/web\/src\/(?:main\.ts|application\.tsx)$/,
    may: ['route tree', 'web feature', 'web ui', 'web lib', 'web language', 'contract'],
    packages: [...react, ...lingui, ...tanstack],
  },
  {
    place: 'route tree',
    files: /^apps\/web\/src\/route-tree\.gen\.ts$/,
    may: ['web route'],
    packages: tanstack,
  },
  {
    place: 'web route',
    files: /^apps\/web\/src\/routes\/([\w.$/-]+)\.tsx$/,
    may: ['web feature', 'web ui', 'web lib', 'web language', 'contract', 'route definitions'],
    packages: [...react, ...lingui, ...tanstack],
  },
  {
    place: 'web feature',
    files: /^apps\/web\/src\/features\/(auth)\//,
    may: ['web ui', 'web lib', 'choice cookie', 'web language', 'contract', 'route definitions'],
    packages: [...react, ...lingui, ...tanstack, '@azure/msal-browser'],
  },
  {
    place: 'web feature',
    files: /^apps\/web\/src\/features\/(invitations)\//,
    may: ['web ui', 'web lib', 'web language', 'contract', 'route definitions', 'spreadsheet text'],
    packages: [...react, ...lingui, ...tanstack, 'jschardet', 'papaparse', 'uqr'],
  },
  {
    place: 'web feature',
    files: /^apps\/web\/src\/features\/(attachments)\//,
    may: ['web ui', 'web lib', 'web language', 'contract', 'route definitions'],
    packages: [...react, ...lingui, ...tanstack, 'tus-js-client', 'pdfjs-dist'],
  },
  {
    place: 'web feature',
    files: /^apps\/web\/src\/features\/([\w-]+)\//,
    may: ['web ui', 'web lib', 'web language', 'contract', 'route definitions'],
    packages: [...react, ...lingui, ...tanstack],
  },
  {
    place: 'web ui',
    files: /^apps\/web\/src\/ui\//,
    may: ['web language', 'spreadsheet text'],
    packages: [...react, ...lingui, 'ag-grid-community', 'ag-grid-enterprise', 'ag-grid-react'],
  },
  // The language is a stored choice and loads before everything else.
  {
    place: 'choice cookie',
    files: /^apps\/web\/src\/lib\/choice-cookie\.ts$/,
    may: [],
    packages: [],
  },
  {
    place: 'web lib',
    files: /^apps\/web\/src\/lib\//,
    may: ['choice cookie', 'web language', 'contract', 'route definitions'],
    packages: ['react', '@lingui/core', '@simplewebauthn/browser', '@tanstack/react-query'],
  },
  {
    place: 'web language',
    files: /^apps\/web\/src\/language\//,
    may: ['choice cookie', 'route definitions'],
    packages: ['@lingui/core', 'texts:catalogs', 'texts:languages'],
  },
  // The gallery is the test page of the UI kit, not part of the product.
  {
    place: 'gallery',
    files: /^apps\/web\/gallery\//,
    may: ['web ui', 'web language', 'web build'],
    packages: 'any',
  },
  // The build renders the login screen into the page.
  {
    place: 'web build',
    files: /^apps\/web\/[\w.-]+\.ts$/,
    may: ['web ui', 'route definitions'],
    packages: 'any',
  },
  // Tools may import the whole product; the product never imports them.
  {
    place: 'tools',
    files: /^(?:tools|bench|e2e)\/|^[\w.-]+\.ts$/,
    may: [
      'tools',
      'gallery',
      'web build',
      'contract',
      'route definitions',
      'server feature',
      'server platform',
      'server tests',
      'web ui',
      'b2c-emulator',
      'dev-mailbox',
    ],
    packages: 'any',
  },
];

/** Allowed imports between server features, with reasons. */
export const allowedFeatureImports: Record<string, Record<string, string>> = {
  invitations: {
    attachments: 'files of an invitation are added in the same transaction',
    mail: 'the invitation mail is queued in the same transaction',
    settings:
      'lifetime, allowed domains and limits of invitations are settings; their mails show name and logo',
    people: 'inviters and invited people are shown with their names',
  },
  auth: {
    attachments: 'files of a redeemed invitation are shared in the transaction that creates the person',
    mail: 'sends the code that verifies an invited address',
    settings: 'session lifetime and the sign-in method of a domain are settings',
    people: 'finds or creates the person of a caller',
    invitations:
      'the first call after sign-up redeems the invitation in the transaction that creates the person',
  },
  people: {
    attachments: 'files of a removed person are transferred or deleted in the same transaction',
    mail: 'role changes and disabling queue a mail in the same transaction',
    settings: 'mails use the name, logo and language of the settings',
  },
  configuration: {
    settings: 'the browser shows the name, logo and support address of the settings',
  },
  activity: {
    people: 'actors and targets are shown with their names',
  },
  profile: {
    people: 'profile data and sessions belong to the person',
    invitations: 'the invitations of a person are part of their exported data',
  },
  settings: {
    mail: 'Settings shows previews of mails and sends a test mail',
  },
  dashboard: {
    people: 'the dashboard shows the sign-ins of the caller',
  },
  webhooks: {
    mail: 'administrators get a mail when a webhook is disabled',
    settings: 'that mail uses the name, logo and language of the settings',
  },
  scim: {
    invitations: 'people of the directory are invited',
    people: 'people who are deactivated in the directory are disabled',
    settings: 'invitations use the settings',
  },
};
