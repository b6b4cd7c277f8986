/** The signed-in person. Apart from people.ts: the login screen needs it, and none of that. */
import * as z from 'zod/mini';
import { defineRoute } from './route.ts';
import { Id } from './values.ts';

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

export const getMe = defineRoute({
  method: 'GET',
  path: '/api/users/me',
  access: 'member',
  summary: 'Who I am. The first call after a sign-up redeems the invitation.',
  answer: Me,
});
