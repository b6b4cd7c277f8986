/** How much of a list is asked for at once. Apart from values.ts, whose schemas only forms and the server need. */

/** The most rows that one page of a list holds. */
export const pageMaximum = 500;

/** The most filters of one question. */
export const filterMaximum = 20;

/** The most rows that are chosen, or left out, one by one. */
export const chosenMaximum = 1_000;

/** The most rows that an action on "all that match" may reach. */
export const selectionMaximum = 100_000;
