/**
 * Who may import whom: the table of docs/architecture.md. Not for: whether everybody keeps to it (check-imports.ts).
 */
export type Row = {
  place: string;
  /** What the first group catches is an area: areas of one place never import each other. */
  files: RegExp;
  /** Places whose files may be imported; within its own area a file may import anything. */
  may: string[];
  /** Places that may only be imported by `import()`, so that they are not even read when they are not needed. */
  mayOnDemand?: string[];
  /** Packages that may be imported; `node:` stands for everything that Node.js brings. */
  packages: string[] | 'any';
};

const react = ['react', 'react-dom', '@tabler/icons-react'];
const lingui = ['@lingui/core', '@lingui/react'];
const tanstack = ['@tanstack/react-router', '@tanstack/react-query'];

/** The first row that a file matches is its own. */
export const table: Row[] = [
  // What every route is made of: the server's platform needs it and knows no area.
  {
    place: 'route definitions',
    files:
      /^packages\/contract\/src\/(?:route|texts\/[\w-]+|request-errors|values|rules\/(?:limits|language|clean-text))(?<!\.test)\.ts$/,
    may: [],
    packages: ['zod'],
  },
  // Files of the server and the clipboard of the browser keep one rule.
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
  // Both sides of a sign-in: a token of one must open nothing at the other, and leave no trace there.
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
      // Which is tried against a real server.
      'client',
      'server main',
      'app.ts',
      'server feature',
      'room',
      'server platform',
      'contract',
      'route definitions',
    ],
    packages: 'any',
  },
  {
    place: 'server main',
    files: /^apps\/server\/src\/(?:main\.ts$|start\/)/,
    may: ['app.ts', 'server feature', 'server platform'],
    mayOnDemand: ['b2c-emulator', 'dev-mailbox'],
    packages: 'any',
  },
  {
    place: 'app.ts',
    files: /^apps\/server\/src\/app\.ts$/,
    // The contract for the errors of who may not come in, and for the configuration that it passes to its feature.
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
    place: 'room',
    files: /^apps\/server\/src\/rooms\/([\w-]+)(?:\.ts$|\/)/,
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
    files: /^apps\/web\/src\/features\/(door)\//,
    may: ['web ui', 'web lib', 'kept choices', 'web language', 'contract', 'route definitions'],
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
  // The language is a choice that is kept, and is spoken before anything else of the browser's own.
  {
    place: 'kept choices',
    files: /^apps\/web\/src\/lib\/kept-choice\.ts$/,
    may: [],
    packages: [],
  },
  {
    place: 'web lib',
    files: /^apps\/web\/src\/lib\//,
    may: ['kept choices', 'web language', 'contract', 'route definitions'],
    packages: ['react', '@lingui/core', '@simplewebauthn/browser', '@tanstack/react-query'],
  },
  {
    place: 'web language',
    files: /^apps\/web\/src\/language\//,
    may: ['kept choices', 'route definitions'],
    packages: ['@lingui/core', 'texts:catalogs', 'texts:languages'],
  },
  // The gallery shows the kit to its browser journeys and is not part of the product.
  {
    place: 'gallery',
    files: /^apps\/web\/gallery\//,
    may: ['web ui', 'web language', 'web build'],
    packages: 'any',
  },
  // The login screen is rendered into the page while it is built.
  {
    place: 'web build',
    files: /^apps\/web\/[\w.-]+\.ts$/,
    may: ['web ui', 'route definitions'],
    packages: 'any',
  },
  // What stands around the product may use all of it; nothing of the product may use this.
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
      // The OpenID Provider that tests steer.
      'server tests',
      'web ui',
      'b2c-emulator',
      'dev-mailbox',
    ],
    packages: 'any',
  },
];

/** Features of the server that do need others, and why. */
export const betweenFeatures: Record<string, Record<string, string>> = {
  invitations: {
    attachments: 'an invitation may carry files, which are put into it in the same transaction',
    mail: 'inviting puts the mail into the outbox in the same transaction',
    settings:
      'lifetime, allowed domains and limits of invitations are settings; their mails show name and logo',
    people: 'who invited and who came in are told by their names',
  },
  'sign-in': {
    attachments:
      'whoever redeems an invitation finds its files shared, in the transaction that makes the person',
    mail: 'the code that proves an invited address is mailed there',
    settings: 'how long sessions last, and which way is that of a domain, are settings',
    people: 'who is calling is a person, or becomes one',
    invitations:
      'the first call after sign-up redeems the invitation in the transaction that makes the person',
  },
  people: {
    attachments:
      'the files of whoever is removed are handed over or deleted, in the transaction that removes them',
    mail: 'whoever gets another role or is disabled is told by mail, queued with the change',
    settings: 'their mails show name, logo and language that administrators chose',
  },
  configuration: {
    settings: 'the browser shows the name, the logo and the support address that administrators chose',
  },
  activity: {
    people: 'who did something, and to whom, is told by their names',
  },
  profile: {
    people: 'what somebody sees of themselves and ends for themselves is kept with the person',
    invitations: 'the invitations that somebody got are part of their data',
  },
  settings: {
    mail: 'Settings shows the mails as they will look, and sends a test mail',
  },
  dashboard: {
    people: 'the dashboard shows a person their own sign-ins',
  },
  webhooks: {
    mail: 'administrators are told by mail when a webhook is switched off',
    settings: 'that mail shows name, logo and language that administrators chose',
  },
  directory: {
    invitations: 'whom the directory names is let in by an invitation, as everybody is',
    people: 'whom the directory switches off is disabled, with the rules of people',
    settings: 'invitations are made as the settings say',
  },
};
