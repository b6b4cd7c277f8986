/** Webhooks of an organization: events of the organization and about its members (R9). */
import * as z from 'zod/mini';
import { defineRoute } from '../route.ts';
import { fieldTexts } from '../texts/field-texts.ts';
import { schemaMessage } from '../texts/text.ts';
import { Id } from '../values.ts';
import {
  EventName,
  eventsMaximum,
  NewWebhook,
  secretOverlapHours,
  Webhook,
  webhookErrors,
  WebhookMessage,
} from '../webhooks.ts';
import { organizationPermissions } from './permissions.ts';

export const OrganizationWebhookEvent = z.enum(
  [
    'invitation.created',
    'invitation.renewed',
    'invitation.redeemed',
    'invitation.expired',
    'invitation.revoked',
    'member.added',
    'member.changed',
    'member.removed',
    'person.joined',
    'person.disabled',
    'person.enabled',
    'person.signed_in',
  ],
  'This event does not exist.',
);

const NewOrganizationWebhook = z.extend(NewWebhook, {
  events: z
    .array(EventName, 'Events are a list of texts.')
    .check(
      z.minLength(1, schemaMessage(fieldTexts.eventMissing)),
      z.maxLength(eventsMaximum, 'Choose each event once.'),
    ),
});

const access = { permission: organizationPermissions.writeWebhooks.name };
const organizationParams = z.object({ organizationId: Id });
const webhookParams = z.object({ organizationId: Id, webhookId: Id });
const webhookWithSecret = z.object({ secret: z.string(), webhook: Webhook });

export const listOrganizationWebhooks = defineRoute('GET /api/organizations/:organizationId/webhooks', {
  access,
  summary: 'Webhooks of an organization and their health, oldest first, and the events of extensions.',
  params: organizationParams,
  answer: z.object({ rows: z.array(Webhook), extensionEvents: z.array(z.string()) }),
});

export const createOrganizationWebhook = defineRoute('POST /api/organizations/:organizationId/webhooks', {
  access,
  requiresRecentAuth: true,
  summary: 'Adds a webhook for events of the organization. Its secret is shown only in this response.',
  params: organizationParams,
  body: NewOrganizationWebhook,
  answer: webhookWithSecret,
  errors: [webhookErrors.tooMany, webhookErrors.notEncrypted, webhookErrors.privateAddress],
});

export const changeOrganizationWebhook = defineRoute(
  'PATCH /api/organizations/:organizationId/webhooks/:webhookId',
  {
    access,
    // A new address or new events are as sensitive as a new webhook.
    requiresRecentAuth: ({ url, events: chosen }: { url?: string; events?: string[] }) =>
      (url ?? chosen) !== undefined,
    summary: 'Changes the address, description or events of a webhook, or turns it on or off.',
    params: webhookParams,
    body: z.partial(z.extend(NewOrganizationWebhook, { isOn: z.boolean() })),
    answer: Webhook,
    errors: [webhookErrors.notFound, webhookErrors.notEncrypted, webhookErrors.privateAddress],
  },
);

export const removeOrganizationWebhook = defineRoute(
  'DELETE /api/organizations/:organizationId/webhooks/:webhookId',
  {
    access,
    summary: 'Removes a webhook with its deliveries. Pending messages are not sent.',
    params: webhookParams,
    answer: z.object({ id: Id }),
    errors: [webhookErrors.notFound],
  },
);

export const rotateOrganizationWebhookSecret = defineRoute(
  'POST /api/organizations/:organizationId/webhooks/:webhookId/rotate-secret',
  {
    access,
    requiresRecentAuth: true,
    summary: `Gives a webhook a new secret, shown only in this response. For ${secretOverlapHours} hours, messages are signed with both secrets.`,
    params: webhookParams,
    answer: webhookWithSecret,
    errors: [webhookErrors.notFound],
  },
);

export const listOrganizationWebhookMessages = defineRoute(
  'GET /api/organizations/:organizationId/webhooks/:webhookId/messages',
  {
    access,
    summary:
      'Sent and pending messages of a webhook, newest first, 50 at a time. `before` is the id of the last message of the previous page.',
    params: webhookParams,
    query: z.object({ before: z.optional(Id) }),
    answer: z.object({ rows: z.array(WebhookMessage), more: z.boolean() }),
    errors: [webhookErrors.notFound],
  },
);

export const testOrganizationWebhook = defineRoute(
  'POST /api/organizations/:organizationId/webhooks/:webhookId/test',
  {
    access,
    summary: 'Queues an event `webhook.test`.',
    params: webhookParams,
    answer: WebhookMessage,
    errors: [webhookErrors.notFound, webhookErrors.isOff],
  },
);

export const resendOrganizationWebhookMessage = defineRoute(
  'POST /api/organizations/:organizationId/webhooks/:webhookId/messages/:messageId/resend',
  {
    access,
    summary: 'Sends a message again, or now if it is pending, with the same id.',
    params: z.object({ organizationId: Id, webhookId: Id, messageId: Id }),
    answer: WebhookMessage,
    errors: [webhookErrors.notFound, webhookErrors.noMessage, webhookErrors.isOff],
  },
);
