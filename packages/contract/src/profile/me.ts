/** The signed-in person. Apart from people.ts: the login screen needs it, and none of that. */
import * as z from 'zod/mini';
import { defineRoute, type RouteBody } from '../route.ts';
import { Id } from '../values.ts';

/** The signed-in person (statement H3): kept by the browser as `userDetail`. */
export const UserDetail = z.object({
  Id,
  Email: z.string(),
  DisplayName: z.string(),
  IsAdmin: z.boolean(),
});
export type UserDetail = z.output<typeof UserDetail>;

/** The signed-in person, and what they chose for themselves (profile.ts); null where they chose nothing. */
export const Me = z.extend(UserDetail, {
  /** The id of a theme. */
  Theme: z.nullable(z.string()),
  Language: z.nullable(z.string()),
});
export type Me = z.output<typeof Me>;

export const getMe = defineRoute('GET /api/users/me', {
  access: 'member',
  summary: 'Who I am. The first call after a sign-up redeems the invitation.',
  answer: Me,
});

export const changePreferences = defineRoute('PATCH /api/users/me/preferences', {
  access: 'member',
  summary: "Saves the caller's theme and language for all their browsers. Null resets a choice.",
  // Spelled out in here, where the browser's build cuts it off (apps/web/contract-in-browser.ts).
  body: z.strictObject({
    /** The id of a theme as the browser knows it, or `system`. */
    theme: z.optional(
      z.nullable(
        z
          .string('A theme is named by its id, such as daylight.')
          .check(z.regex(/^[a-z][a-z-]{0,39}$/, 'A theme is named by its id, such as daylight.')),
      ),
    ),
    /** Of the screens and of mails. Null: as the browser asks, and in mails as the invitation was. */
    language: z.optional(z.nullable(z.enum(['en', 'de'], 'A language is en or de.'))),
  }),
  answer: z.object({ theme: z.nullable(z.string()), language: z.nullable(z.string()) }),
});
export type Preferences = RouteBody<typeof changePreferences>;
