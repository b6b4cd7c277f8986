import { t } from '@lingui/core/macro';
import type { Webhook, WebhookEvent, WebhookMessage } from '@vestibule/contract/webhooks';
import { activeOrganization } from '../../lib/active-organization.ts';
import type { BadgeTone } from '../../ui/marks/badge-tone.ts';

const events = (): Record<WebhookEvent, string> => ({
  'invitation.created': t`Someone is invited`,
  'invitation.renewed': t`An invitation is renewed`,
  'invitation.redeemed': t`An invitation is accepted`,
  'invitation.expired': t`An invitation expires`,
  'invitation.revoked': t`An invitation is revoked`,
  'person.joined': t`Someone joins`,
  'person.changed': t`Someone’s role changes`,
  'person.disabled': t`Someone is disabled`,
  'person.enabled': t`Someone is enabled again`,
  'person.removed': t`Someone is removed`,
  'person.erased': t`Someone is erased`,
  'person.signed_in': t`Someone signs in`,
  'member.added': t`Someone becomes a member of an organization`,
  'member.changed': t`A member’s role in an organization changes`,
  'member.removed': t`Someone stops being a member of an organization`,
  'attachment.added': t`A file is added`,
  'attachment.shared': t`A file is shared`,
  'attachment.deleted': t`A file is deleted`,
  'attachment.restored': t`A deleted file is restored`,
});

/** Event of an extension: "Ticket created" for `ticket.created`. */
const describeEvent = (event: string) => {
  const words = event.replaceAll(/[._]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

export const webhooksKey = () => ['webhooks', activeOrganization()?.organizationId ?? null];

export const eventName = (event: string): string =>
  event === 'webhook.test' ? t`Test event` : (events()[event as WebhookEvent] ?? describeEvent(event));

export const hostOf = ({ url }: Webhook): string => new URL(url).host;

export function stateOf({ isOn, offBecause, failingSince }: Webhook): { label: string; tone: BadgeTone } {
  if (offBecause) return { label: t`Turned off after failures`, tone: 'danger' };
  if (!isOn) return { label: t`Off`, tone: 'neutral' };
  return failingSince ? { label: t`Failing`, tone: 'warning' } : { label: t`On`, tone: 'success' };
}

export const messageStates = (): Record<WebhookMessage['state'], { label: string; tone: BadgeTone }> => ({
  waiting: { label: t`Waiting`, tone: 'neutral' },
  delivered: { label: t`Delivered`, tone: 'success' },
  given_up: { label: t`Given up`, tone: 'danger' },
});
