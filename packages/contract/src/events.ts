/** Events: what changed elsewhere, so that a list on screen can be read again. */
import * as z from 'zod/mini';
import { defineRoute } from './route.ts';
import { streamed } from './values.ts';

/**
 * The data of one event. An area is named like its list: `people`, `invitations`, `activity`; `me` is what the caller may do.
 * Whoever is no administrator hears of `me` and of lists that members may read, such as `attachments`.
 */
export const Changes = z.object({ areas: z.array(z.string()) });
export type Changes = z.output<typeof Changes>;

export const watchChanges = defineRoute('GET /api/events', {
  access: 'member',
  summary:
    'Server-sent events whose data `{ "areas": ["people", …] }` says what changed. The stream ends after 15 minutes; with more than five streams, the oldest ends. Reconnect, after `retry` milliseconds if given, and reload what you show.',
  media: ['text/event-stream'],
  answer: streamed,
});
