/** Server-sent events for reloading lists after changes. */
import * as z from 'zod/mini';
import { defineRoute } from './route.ts';
import { streamed } from './values.ts';

/**
 * Data of an event. Areas are names of lists, such as `people` or `attachments`; `me` means the caller's permissions.
 * Members receive `me` and the lists that they may read, also those of extensions in their organizations.
 */
export const Changes = z.object({ areas: z.array(z.string()) });
export type Changes = z.output<typeof Changes>;

export const watchChanges = defineRoute('GET /api/events', {
  access: 'member',
  summary:
    'Server-sent events whose data `{ "areas": ["people", …] }` names the changed lists. The stream ends after 15 minutes; with more than five streams, the oldest ends. Reconnect, after `retry` milliseconds if given, and reload the displayed data.',
  media: ['text/event-stream'],
  response: streamed,
});
