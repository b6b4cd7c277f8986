/** Limits shared by schemas, settings, environment variables, forms and statements. Separate from values.ts, which needs zod. */

export const pageMaximum = 500;

/** Groups are counted exactly up to this number. A larger group has the count `countMaximum` + 1. */
export const countMaximum = 10_000;

export const filterMaximum = 20;

/** Maximum number of individually selected or excluded rows. */
export const listedIdsMaximum = 1_000;

/** Maximum number of rows of an action on all matching rows. */
export const selectionMaximum = 100_000;

export const lifetimeMaximumDays = 365;

export const tokenMaximumDays = 365;

/** Maximum number of rows of a batch of invitations. The settings may allow fewer. */
export const batchMaximum = 10_000;

/** Highest value of the setting `resendsPerHour`. */
export const resendsMaximumPerHour = 60;

/** RFC 5321, section 4.5.3.1, without the angle brackets. */
export const emailMaximumLength = 254;

/**
 * Maximum lengths of unchecked texts of a row. They are higher than those of valid texts, so that a text that is too long is reported in
 * the verdict on the row.
 */
export const rowTextMaximum = { email: 1_000, name: 1_000, message: 4_000 };

export const productNameMaximum = 60;

/** Maximum age of a sign-in in minutes, for routes that require a recent sign-in. */
export const recentAuthMinutes = 10;

/** Header of calls that a page sends without recent user input. Such calls do not extend the session. */
export const backgroundHeader = 'vestibule-unattended';

export const signInsPerHour = 120;

/** Maximum number of sessions per person. A further session ends the least recently used one. */
export const sessionsMaximum = 50;

/** Limit per person for changes of passkeys and sign-in methods. Each change sends a mail. */
export const signInMethodChangesPerHour = 40;

export const identitiesMaximum = 10;

/** Period in which an invitation counts as expiring soon. */
export const soonDays = 3;

/** Invitations that the members of an organization send in an hour. Administrators of the site have no limit. */
export const organizationInvitationsPerHour = 10_000;
