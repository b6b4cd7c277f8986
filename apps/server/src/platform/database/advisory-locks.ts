/**
 * The numbers of all advisory locks that processes hold in the database. They stand together because two features that took
 * the same one would wait for each other. A number that is in use never changes: an older process may run beside this one.
 */
export const advisoryLocks = {
  /** Held while the number of active administrators may fall, so that two of them cannot remove each other. */
  administrators: 7_233_001,
  /** One process seals the audit log at a time. */
  auditSeals: 7_233_002,
  /** One process reminds people of their invitations. */
  reminders: 7_233_003,
  /** Processes that start together make one invitation of a first administrator between them. */
  firstAdministrator: 7_233_004,
  /** Held while settings change, so that versions are compared and written by one administrator at a time. */
  settings: 7_233_006,
  /** One process writes archives at a time, and nobody is erased from them meanwhile. */
  archives: 7_233_007,
  /** Processes that start together take turns with the migrations. */
  migrations: 7_374_920_318,
  /** PostgreSQL lets only one change the rights of a table at a time. */
  grants: 7_374_920_319,
  /** Held from looking whether there is space for an upload until it is reserved. */
  attachmentRoom: 7_233_015,
} as const;
