/** Webhooks by the specification Standard Webhooks (https://www.standardwebhooks.com). */
import * as z from 'zod/mini';
import { requestErrors } from './request-errors.ts';
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
    'member.added',
    'member.changed',
    'member.removed',
    'attachment.added',
    'attachment.shared',
    'attachment.deleted',
    'attachment.restored',
  ],
  'This event does not exist.',
);
export type WebhookEvent = z.output<typeof WebhookEvent>;

/** Name of an event. The server accepts those of `WebhookEvent` and those that extensions declare. */
const EventName = z
  .string('This event does not exist.')
  .check(z.regex(/^[a-z_]{1,50}\.[a-z_]{1,50}$/, 'This event does not exist.'));
const eventsMaximum = 200;

export const webhooksMaximum = 20;
/** Test messages of a webhook. */
export const testsPerHour = 60;
/** Hours after a rotation in which messages are also signed with the previous secret. */
export const secretOverlapHours = 24;
const addressMaximum = 1_000;

export const webhookErrors = defineErrors(
  'webhook',
  {
    400: {
      notEncrypted: 'Enter an address that begins with https://, so that others cannot read what is sent.',
      privateAddress:
        'This address belongs to a private network, to which webhooks are not sent. Enter a public address, or ask the operator to allow private ones.',
    },
    404: {
      notFound: 'This webhook does not exist or was removed.',
      noMessage: 'This delivery does not exist or was removed. Deliveries are kept for two weeks.',
    },
    409: {
      tooMany: `You have reached the limit of ${webhooksMaximum} webhooks. Remove one first.`,
      isOff: 'This webhook is off. Turn it on first.',
    },
  },
  { notEncrypted: 'url', privateAddress: 'url' },
);

export const webhookFailures = defineTexts('webhook_failure', {
  late: 'No answer within 15 seconds.',
  unknownHost: 'The name in the address is not found.',
  unreachable: 'The address cannot be reached.',
  certificate: 'The certificate at the address is not accepted.',
  lost: 'The connection was lost before there was an answer.',
  private: 'The address belongs to a private network, to which webhooks are not sent.',
  plain: 'The address does not begin with https://, and nothing is sent unencrypted.',
});

const addressMessage = schemaMessage(fieldTexts.notAWebhookAddress);

const WebhookAddress = z.string().check(
  z.trim(),
  z.maxLength(addressMaximum, schemaMessage(fieldTexts.tooLong, { maximum: addressMaximum })),
  z.refine((text) => {
    const url = URL.parse(text);
    // Credentials before an @ would be displayed with the address.
    return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  }, addressMessage),
);

export const Webhook = z.object({
  id: Id,
  url: z.string(),
  description: z.string(),
  events: z.array(z.string()),
  isOn: z.boolean(),
  /** Reason for automatic deactivation: deliveries failed for three days, or the receiver responded with status 410. */
  offBecause: z.nullable(z.enum(['failing', 'gone'])),
  createdBy: z.string(),
  createdAt: Moment,
  /** Time until which the previous secret is used too. */
  earlierSecretUntil: z.nullable(Moment),
  failingSince: z.nullable(Moment),
  deliveredAt: z.nullable(Moment),
  waiting: z.number(),
});
export type Webhook = z.output<typeof Webhook>;

const NewWebhook = z.strictObject({
  url: WebhookAddress,
  description: lineOfText(200),
  events: z
    .array(EventName, 'Events are a list of texts.')
    .check(
      z.minLength(1, schemaMessage(fieldTexts.eventMissing)),
      z.maxLength(eventsMaximum, 'Choose each event once.'),
    ),
});

const webhookParams = z.object({ webhookId: Id });
const webhookWithSecret = z.object({ secret: z.string(), webhook: Webhook });

export const listWebhooks = defineRoute('GET /api/webhooks', {
  access: 'admin',
  summary: 'All webhooks and their health, oldest first, and the events of extensions.',
  response: z.object({ rows: z.array(Webhook), extensionEvents: z.array(z.string()) }),
});

export const createWebhook = defineRoute('POST /api/webhooks', {
  access: 'admin',
  requiresRecentAuth: true,
  summary: 'Adds a webhook. Its secret is shown only in this response.',
  body: NewWebhook,
  response: webhookWithSecret,
  errors: [webhookErrors.tooMany, webhookErrors.notEncrypted, webhookErrors.privateAddress],
});

export const changeWebhook = defineRoute('PATCH /api/webhooks/:webhookId', {
  access: 'admin',
  // A new address or new events are as sensitive as a new webhook.
  requiresRecentAuth: ({ url, events: chosen }: { url?: string; events?: string[] }) =>
    (url ?? chosen) !== undefined,
  summary: 'Changes the address, description or events of a webhook, or turns it on or off.',
  params: webhookParams,
  body: z.partial(z.extend(NewWebhook, { isOn: z.boolean() })),
  response: Webhook,
  errors: [webhookErrors.notFound, webhookErrors.notEncrypted, webhookErrors.privateAddress],
});

export const removeWebhook = defineRoute('DELETE /api/webhooks/:webhookId', {
  access: 'admin',
  summary: 'Removes a webhook with its deliveries. Pending messages are not sent.',
  params: webhookParams,
  response: z.object({ id: Id }),
  errors: [webhookErrors.notFound],
});

export const rotateWebhookSecret = defineRoute('POST /api/webhooks/:webhookId/rotate-secret', {
  access: 'admin',
  requiresRecentAuth: true,
  summary: `Gives a webhook a new secret, shown only in this response. For ${secretOverlapHours} hours, messages are signed with both secrets.`,
  params: webhookParams,
  response: webhookWithSecret,
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
  /** Time of the next attempt; null if it is sent immediately or delivery has ended. */
  nextAttemptAt: z.nullable(Moment),
  status: z.nullable(z.number()),
  /** Start of the last response body, or the connection error. */
  answer: z.nullable(z.string()),
  answerText: z.nullable(Message),
  milliseconds: z.nullable(z.number()),
});
export type WebhookMessage = z.output<typeof WebhookMessage>;

export const listWebhookMessages = defineRoute('GET /api/webhooks/:webhookId/messages', {
  access: 'admin',
  summary:
    'Sent and pending messages of a webhook, newest first, 50 at a time. `before` is the id of the last message of the previous page.',
  params: webhookParams,
  query: z.object({ before: z.optional(Id) }),
  response: z.object({ rows: z.array(WebhookMessage), more: z.boolean() }),
  errors: [webhookErrors.notFound],
});

export const testWebhook = defineRoute('POST /api/webhooks/:webhookId/test', {
  access: 'admin',
  summary: `Queues an event \`webhook.test\`, at most ${testsPerHour} times an hour.`,
  params: webhookParams,
  response: WebhookMessage,
  errors: [webhookErrors.notFound, webhookErrors.isOff, requestErrors.tooMany],
});

export const resendWebhookMessage = defineRoute('POST /api/webhooks/:webhookId/messages/:messageId/resend', {
  access: 'admin',
  summary: 'Sends a message again, or now if it is pending, with the same id.',
  params: z.object({ webhookId: Id, messageId: Id }),
  response: WebhookMessage,
  errors: [webhookErrors.notFound, webhookErrors.noMessage, webhookErrors.isOff],
});
