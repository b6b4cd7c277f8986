/**
 * Numbers of all advisory locks, in one place so that two features cannot use the same one. A number in use never
 * changes: an older process may run at the same time.
 */
export const advisoryLocks = {
  /** Held while the number of active administrators may fall, so that two of them cannot remove each other. */
  administrators: 7_233_001,
  auditSeals: 7_233_002,
  /** Held while the invitation of the first administrator is created, so that processes that start at once create only one. */
  firstAdministrator: 7_233_004,
  /** Held while settings change, so that versions are compared and written by one administrator at a time. */
  settings: 7_233_006,
  /** Serializes archiving with erasures from archives. */
  archives: 7_233_007,
  /** Serializes migrations. */
  migrations: 7_374_920_318,
  /** PostgreSQL allows only one session at a time to change the rights of a table. */
  grants: 7_374_920_319,
  /** Held from checking the space for an upload until it is reserved. */
  attachmentRoom: 7_233_015,
} as const;
