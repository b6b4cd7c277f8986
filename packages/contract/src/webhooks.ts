/** Webhooks: other programs are told of what happens here, by Standard Webhooks (https://www.standardwebhooks.com). */
import * as z from 'zod/mini';
import { fieldTexts } from './texts/field-texts.ts';
import { defineErrors, defineRoute } from './route.ts';
import { defineTexts, schemaMessage, Message } from './texts/text.ts';
import { Id, lineOfText, Moment } from './values.ts';

export const WebhookEvent = z.enum(
  [
    'invitation.created',
    'invitation.renewed',
    'invitation.redeemed',
    'invitation.expired',
    'invitation.revoked',
    'person.joined',
    'person.changed',
    'person.disabled',
    'person.enabled',
    'person.removed',
    'person.erased',
    'person.signed_in',
    'attachment.added',
    'attachment.shared',
    'attachment.deleted',
    'attachment.restored',
  ],
  'This event does not exist.',
);
export type WebhookEvent = z.output<typeof WebhookEvent>;

export const webhooksMaximum = 20;
/** How long an earlier secret signs beside the new one. */
export const secretOverlapHours = 24;
const addressMaximum = 1_000;

export const webhookErrors = defineErrors('webhook', {
  400: {
    notEncrypted: 'Enter an address that begins with https://, so that nobody can read what is sent.',
    privateAddress:
      'This address is inside a private network, where webhooks are not sent. Enter a public address, or ask the operator to allow private ones.',
  },
  404: {
    notFound: 'This webhook does not exist or was removed.',
    noMessage: 'This delivery does not exist or was removed. Deliveries are kept for two weeks.',
  },
  409: {
    tooMany: `You have reached the limit of ${webhooksMaximum} webhooks. Remove one first.`,
    isOff: 'This webhook is off. Turn it on first.',
  },
});

/** Why there was no answer, where that is ours to say. */
export const webhookFailures = defineTexts('webhook_failure', {
  late: 'No answer within 15 seconds.',
  unknownHost: 'The name in the address is not found.',
  unreachable: 'The address cannot be reached.',
  certificate: 'The certificate at the address is not accepted.',
  lost: 'The connection was lost before there was an answer.',
  private: 'The address is inside a private network, where webhooks are not sent.',
  plain: 'The address does not begin with https://, and nothing is sent unencrypted.',
});

const addressProblem = schemaMessage(fieldTexts.notAWebhookAddress);

const WebhookAddress = z.string().check(
  z.trim(),
  z.maxLength(addressMaximum, schemaMessage(fieldTexts.tooLong, { maximum: addressMaximum })),
  z.refine((text) => {
    const url = URL.parse(text);
    // Whatever stands before an @ would be shown wherever the address is.
    return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  }, addressProblem),
);

const events = z
  .array(WebhookEvent, 'Events are a list of texts.')
  .check(
    z.minLength(1, schemaMessage(fieldTexts.eventMissing)),
    z.maxLength(WebhookEvent.options.length, 'Choose each event once.'),
  );

export const Webhook = z.object({
  id: Id,
  url: z.string(),
  description: z.string(),
  events: z.array(WebhookEvent),
  isOn: z.boolean(),
  /** Why the server has switched it off: it failed for three days, or answered 410. */
  offBecause: z.nullable(z.enum(['failing', 'gone'])),
  createdBy: z.string(),
  createdAt: Moment,
  /** Until when the earlier secret signs as well. */
  earlierSecretUntil: z.nullable(Moment),
  failingSince: z.nullable(Moment),
  deliveredAt: z.nullable(Moment),
  /** How many deliveries wait; more than a thousand are not counted. */
  waiting: z.number(),
});
export type Webhook = z.output<typeof Webhook>;

/** What an administrator fills in; the form in the browser checks with it too. */
export const NewWebhook = z.strictObject({ url: WebhookAddress, description: lineOfText(200), events });

const ofWebhook = z.object({ webhookId: Id });
const withSecret = z.object({ secret: z.string(), webhook: Webhook });

export const listWebhooks = defineRoute('GET /api/webhooks', {
  access: 'admin',
  summary: 'All webhooks and their health, oldest first.',
  answer: z.object({ rows: z.array(Webhook) }),
});

export const createWebhook = defineRoute('POST /api/webhooks', {
  access: 'admin',
  fresh: true,
  summary: 'Adds a webhook. Its secret is shown only in this response.',
  body: NewWebhook,
  answer: withSecret,
  errors: [webhookErrors.tooMany, webhookErrors.notEncrypted, webhookErrors.privateAddress],
});

export const changeWebhook = defineRoute('PATCH /api/webhooks/:webhookId', {
  access: 'admin',
  // Where it goes, and what is told there, matter as much as a new one.
  fresh: ({ url, events: chosen }: { url?: string; events?: string[] }) => (url ?? chosen) !== undefined,
  summary: 'Changes the address, description or events of a webhook, or turns it on or off.',
  params: ofWebhook,
  body: z.partial(z.extend(NewWebhook, { isOn: z.boolean() })),
  answer: Webhook,
  errors: [webhookErrors.notFound, webhookErrors.notEncrypted, webhookErrors.privateAddress],
});

export const removeWebhook = defineRoute('DELETE /api/webhooks/:webhookId', {
  access: 'admin',
  summary: 'Removes a webhook with its deliveries. Pending messages are not sent.',
  params: ofWebhook,
  answer: z.object({ id: Id }),
  errors: [webhookErrors.notFound],
});

export const rotateWebhookSecret = defineRoute('POST /api/webhooks/:webhookId/rotate-secret', {
  access: 'admin',
  fresh: true,
  summary: `Gives a webhook a new secret, shown only in this response. For ${secretOverlapHours} hours, messages are signed with both secrets.`,
  params: ofWebhook,
  answer: withSecret,
  errors: [webhookErrors.notFound],
});

export const WebhookMessage = z.object({
  id: Id,
  /** One of `WebhookEvent`, or `webhook.test`. */
  event: z.string(),
  at: Moment,
  objectType: z.string(),
  objectId: z.string(),
  state: z.enum(['waiting', 'delivered', 'given_up']),
  attempts: z.number(),
  lastAttemptAt: z.nullable(Moment),
  /** Null when it is sent as soon as possible, or no more. */
  nextAttemptAt: z.nullable(Moment),
  /** The status of the last answer; null when there was none. */
  status: z.nullable(z.number()),
  /** The beginning of the last answer, or what went wrong. */
  answer: z.nullable(z.string()),
  /** What went wrong, where it is a text of ours. */
  answerText: z.nullable(Message),
  milliseconds: z.nullable(z.number()),
});
export type WebhookMessage = z.output<typeof WebhookMessage>;

export const listWebhookMessages = defineRoute('GET /api/webhooks/:webhookId/messages', {
  access: 'admin',
  summary:
    'What was sent to a webhook or is pending, newest first, 50 at a time. `before` is the id of the last one seen.',
  params: ofWebhook,
  query: z.object({ before: z.optional(Id) }),
  answer: z.object({ rows: z.array(WebhookMessage), more: z.boolean() }),
  errors: [webhookErrors.notFound],
});

export const testWebhook = defineRoute('POST /api/webhooks/:webhookId/test', {
  access: 'admin',
  summary: 'Queues an event `webhook.test`.',
  params: ofWebhook,
  answer: WebhookMessage,
  errors: [webhookErrors.notFound, webhookErrors.isOff],
});

export const resendWebhookMessage = defineRoute('POST /api/webhooks/:webhookId/messages/:messageId/resend', {
  access: 'admin',
  summary: 'Sends a message again, or now if it is pending, with the same id.',
  params: z.object({ webhookId: Id, messageId: Id }),
  answer: WebhookMessage,
  errors: [webhookErrors.notFound, webhookErrors.noMessage, webhookErrors.isOff],
});
