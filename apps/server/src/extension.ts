/** Public entry for extensions, `@vestibule/server/extension`. docs/build-a-portal.md documents it. */
export {
  defineExtension,
  extensionApiVersion,
  type Extension,
  type ExtensionContext,
} from './platform/extensions/extension.ts';
export { implement, type Caller, type CallerOrganization, type Origin } from './platform/http/implement.ts';
export { assertWithinRateLimit, fail, onUniqueViolation } from './platform/errors/failure.ts';
export { createRateLimit, perHour } from './platform/database/rate-limit.ts';
export {
  execute,
  onlyRowOf,
  rowOf,
  rowsOf,
  type Database,
  type Queryable,
} from './platform/database/database.ts';
export { createListReader } from './platform/lists/list-page.ts';
export type { ListColumn, ListSource } from './platform/lists/list-source.ts';
export { recordChange, recordEach, serverOrigin, type AuditEntry } from './platform/audit/audit-log.ts';
