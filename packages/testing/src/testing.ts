/** Public entry for browser journeys of extensions, `@vestibule/testing`. */
export { expect, type Page } from '@playwright/test';
export { test } from './portal-test.ts';
export { openAs, openAsAdministrator, signIn } from './sign-in.ts';
export { createPerson, type Person, type Site } from './site.ts';
