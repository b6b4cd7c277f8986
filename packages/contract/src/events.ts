/** Events: what changed elsewhere, so that a list on screen can be read again. */
import * as z from 'zod/mini';
import { defineErrors, defineRoute } from './route.ts';
import { streamed } from './values.ts';

/**
 * The data of one event. An area is named like its list: `people`, `invitations`, `activity`; `me` is what the caller may do.
 * Whoever is no administrator hears of `me` and of lists that members may read, such as `attachments`.
 */
export const Changes = z.object({ areas: z.array(z.string()) });
export type Changes = z.output<typeof Changes>;

export const eventErrors = defineErrors({
  tooMany: {
    code: 'events.too_many',
    status: 429,
    message:
      'You follow the changes in five places already. Close one of them, or reload lists by hand here.',
  },
});

export const watchChanges = defineRoute({
  method: 'GET',
  path: '/api/events',
  access: 'member',
  summary:
    'Server-sent events whose data `{ "areas": ["people", …] }` says what changed. Ends after a quarter of an hour: connect again, and read what you show once more.',
  media: ['text/event-stream'],
  answer: streamed,
  errors: [eventErrors.tooMany],
});
