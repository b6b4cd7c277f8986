/** Webhooks of an organization: events of the organization and about its members (R9). */
import * as z from 'zod/mini';
import {
  changeWebhook,
  createWebhook,
  listWebhookMessages,
  listWebhooks,
  removeWebhook,
  resendWebhookMessage,
  rotateWebhookSecret,
  testWebhook,
} from '../webhooks.ts';
import { inOrganization } from './in-organization.ts';
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

const { writeWebhooks } = organizationPermissions;

export const listOrganizationWebhooks = inOrganization(listWebhooks, writeWebhooks);
export const createOrganizationWebhook = inOrganization(createWebhook, writeWebhooks, {
  requiresRecentAuth: true,
});
export const changeOrganizationWebhook = inOrganization(changeWebhook, writeWebhooks, {
  requiresRecentAuth: changeWebhook.requiresRecentAuth,
});
export const removeOrganizationWebhook = inOrganization(removeWebhook, writeWebhooks);
export const rotateOrganizationWebhookSecret = inOrganization(rotateWebhookSecret, writeWebhooks, {
  requiresRecentAuth: true,
});
export const listOrganizationWebhookMessages = inOrganization(listWebhookMessages, writeWebhooks);
export const testOrganizationWebhook = inOrganization(testWebhook, writeWebhooks);
export const resendOrganizationWebhookMessage = inOrganization(resendWebhookMessage, writeWebhooks);
