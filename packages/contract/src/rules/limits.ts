/**
 * Limits that more than one place has to know, so that none can differ: schemas, settings, environment variables, forms and
 * statements take them from here. Apart from values.ts, whose schemas only forms and the server need.
 */

/** The most rows that one page of a list holds. */
export const pageMaximum = 500;

/** How far the rows of a group are counted: one more means "more than that". */
export const countMaximum = 10_000;

/** The most filters of one question. */
export const filterMaximum = 20;

/** The most rows that are chosen, or left out, one by one. */
export const listedIdsMaximum = 1_000;

/** The most rows that an action on "all that match" may reach. */
export const selectionMaximum = 100_000;

/** The longest that the link of an invitation works, in days. */
export const lifetimeMaximumDays = 365;

/** The longest that a personal access token works, in days. */
export const tokenMaximumDays = 365;

/** The most rows of one batch of invitations; the settings may allow fewer. */
export const batchMaximum = 10_000;

/** The most times that the settings let an invitation be sent again within an hour. */
export const resendsMaximumPerHour = 60;

/** The longest e-mail address accepted (RFC 5321, section 4.5.3.1, less the angle brackets). */
export const emailMaximumLength = 254;

/** The longest texts in a row of a list while it is checked: longer than what is right, so that the verdict says what is wrong. */
export const rowTextMaximum = { email: 1_000, name: 1_000, message: 4_000 };

/** The longest name of the product. */
export const productNameMaximum = 60;

/** How long after a sign-in somebody may do what has to be confirmed by one, in minutes. */
export const recentAuthMinutes = 10;

/** The header of calls that a page makes by itself while nobody is at it: they keep no session from ending. */
export const backgroundHeader = 'vestibule-unattended';

/** How often one person signs in, or confirms that it is them, within an hour. */
export const signInsPerHour = 120;

/** The most browsers that one person is signed in with; the one not used for the longest gives way to a new one. */
export const sessionsMaximum = 50;

/** How often one person adds and renames passkeys and ways to sign in within an hour: each change is mailed to them. */
export const signInMethodChangesPerHour = 40;

/** The most ways to sign in that one person has. */
export const identitiesMaximum = 10;

/** An invitation "expires soon" within so many days. */
export const soonDays = 3;
