/** The signed-in person. Separate from people.ts to keep the login chunk small. */
import * as z from 'zod/mini';
import { defineRoute, type RouteBody } from '../route.ts';
import { Id } from '../values.ts';

/** The signed-in person (statement H3). The browser stores it as `userDetail`. */
export const UserDetail = z.object({
  Id,
  Email: z.string(),
  DisplayName: z.string(),
  IsAdmin: z.boolean(),
});
export type UserDetail = z.output<typeof UserDetail>;

/** The signed-in person with preferences. A preference is null if nothing was chosen. */
export const Me = z.extend(UserDetail, {
  Theme: z.nullable(z.string()),
  Language: z.nullable(z.string()),
  /** The organization of the access token, and its permissions there. Absent in the browser. */
  Organization: z.optional(z.object({ Id, Name: z.string(), Permissions: z.array(z.string()) })),
});
export type Me = z.output<typeof Me>;

export const getMe = defineRoute('GET /api/users/me', {
  access: 'member',
  acceptsOrganizationTokens: true,
  summary:
    'The caller. The first call after a sign-up redeems the invitation. With an access token of an organization: its owner, and this organization.',
  response: Me,
});

export const changePreferences = defineRoute('PATCH /api/users/me/preferences', {
  access: 'member',
  summary: "Saves the caller's theme and language for all their browsers. Null resets a choice.",
  // Inline, so that the browser's build removes it (apps/web/contract-in-browser.ts).
  body: z.strictObject({
    /** Theme id of the web app, or `system`. */
    theme: z.optional(
      z.nullable(
        z
          .string('A theme is named by its id, such as daylight.')
          .check(z.regex(/^[a-z][a-z-]{0,39}$/, 'A theme is named by its id, such as daylight.')),
      ),
    ),
    /**
     * Language of screens and mails; sites can add languages of screens. If null, screens use the browser's preference. Without a
     * language of mails, these use the invitation's.
     */
    language: z.optional(
      z.nullable(
        z
          .string('A language is two letters, such as en.')
          .check(z.regex(/^[a-z]{2}$/, 'A language is two letters, such as en.')),
      ),
    ),
  }),
  response: z.object({ theme: z.nullable(z.string()), language: z.nullable(z.string()) }),
});
export type Preferences = RouteBody<typeof changePreferences>;
