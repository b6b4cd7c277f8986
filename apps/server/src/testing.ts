/** Public entry for tests of extensions, `@vestibule/server/testing`. */
export { createTestApp, type TestApp, type TestPerson } from './test/test-app.ts';
export {
  createOrganizationSite,
  type OrganizationSite,
} from './features/organizations/test-organizations.ts';
export { uploadFile } from './features/attachments/uploads/test-uploads.ts';
export { findRuleViolations } from './test/extensions/test-extension-rules.ts';
