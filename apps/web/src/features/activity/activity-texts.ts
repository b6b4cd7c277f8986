import { plural, t } from '@lingui/core/macro';
import type { Activity } from '@vestibule/contract/activity';
import type { NewInvitation } from '@vestibule/contract/invitations/new-invitation';
import { settingNames } from '@vestibule/contract/settings/setting-names';
import { activityText } from 'virtual:extensions';
import { formatMoment } from '../../language/moment.ts';
import { formatMessage } from '../../language/format-message.ts';
import { personOrEmail } from '../../lib/person-or-email.ts';
import type { ShownPerson } from '../../ui/person/shown-person.ts';

/** Labels by audit action. Unknown actions are shown by name: `order.shipped` becomes "Order shipped". */
export const actions = (): Record<string, string> => ({
  'invitation.created': t`Invited`,
  'invitation.redeemed': t`Accepted the invitation`,
  'invitation.refused': t`Refused: invitation for another address`,
  'invitation.revoked': t`Revoked the invitation`,
  'invitation.link_copied': t`Copied the invitation link`,
  'invitation.sent_again': t`Resent the invitation`,
  'invitation.renewed': t`Renewed the invitation`,
  'invitation.address_changed': t`Changed the invitation’s address`,
  'invitation.reminded': t`Sent a reminder of the invitation`,
  'invitation.new_link_sent': t`Sent a new link on request`,
  'invitation_batch.created': t`Imported invitations`,
  'invitation_batch.undone': t`Undid an import`,
  'person.role_changed': t`Changed the role`,
  'person.changed': t`Changed details`,
  'person.disabled': t`Disabled`,
  'person.enabled': t`Enabled`,
  'person.removed': t`Removed`,
  'person.erased': t`Erased`,
  'person.files_handed_over': t`Handed over files`,
  'person.signed_out': t`Signed out everywhere`,
  'person.admitted': t`Admitted through their domain`,
  'person.provider_address_changed': t`Has another address at the sign-in service`,
  'session.ended': t`Signed out`,
  'passkey.added': t`Added a passkey`,
  'passkey.renamed': t`Renamed a passkey`,
  'passkey.removed': t`Removed a passkey`,
  'person.sign_in_reset': t`Reset the sign-in`,
  'person.sign_in_reset_undone': t`Undid the reset of the sign-in`,
  'person.passkeys_removed': t`Lost all passkeys in a reset`,
  'person.code_mail_failed': t`Could not be e-mailed a code`,
  'person.codes_allowed': t`Allowed codes again`,
  'person.codes_blocked': t`Stopped accepting codes after too many wrong ones`,
  'identity.added': t`Added a sign-in method`,
  'identity.removed': t`Removed a sign-in method`,
  'move.begun': t`Sent a link to move`,
  'move.reminded': t`Resent the link to move`,
  'move.done': t`Moved to another sign-in method`,
  'move.undone': t`Cancelled the move`,
  'person.data_downloaded': t`Downloaded their own data`,
  'attachment.uploaded': t`Uploaded`,
  'attachment.added_to_record': t`Added to a record`,
  'attachment.downloaded': t`Downloaded`,
  'attachment.viewed': t`Viewed`,
  'attachment.renamed': t`Renamed`,
  'attachment.shared': t`Shared`,
  'attachment.unshared': t`Stopped sharing`,
  'attachment.deleted': t`Deleted`,
  'attachment.restored': t`Undid the deletion`,
  'attachment.quarantined': t`Found a virus`,
  'settings.changed': t`Changed settings`,
  'settings.reset': t`Reset settings`,
  'settings.test_mail': t`Sent a test e-mail`,
  'settings.first_steps_dismissed': t`Dismissed the first steps`,
  'token.created': t`Created an access token`,
  'token.revoked': t`Revoked an access token`,
  'webhook.created': t`Added a webhook`,
  'webhook.changed': t`Changed a webhook`,
  'webhook.removed': t`Removed a webhook`,
  'webhook.secret_rotated': t`Gave a webhook a new secret`,
  'webhook.tested': t`Sent a test event`,
  'webhook.sent_again': t`Resent an event`,
  'webhook.switched_off': t`Turned off a failing webhook`,
  'organization.created': t`Created an organization`,
  'organization.changed': t`Changed an organization`,
  'organization.logo_changed': t`Changed the logo of an organization`,
  'organization.logo_removed': t`Removed the logo of an organization`,
  'organization.deleted': t`Deleted an organization`,
  'organizations.exported': t`Exported organizations`,
  'invitation.accepted': t`Accepted an invitation`,
  'member.added': t`Added to an organization`,
  'member.role_changed': t`Changed the role in an organization`,
  'member.removed': t`Removed from an organization`,
  'members.exported': t`Exported the members of an organization`,
  'domain.added': t`Added a domain`,
  'domain.verified': t`Verified a domain`,
  'domain.changed': t`Changed who joins by a domain`,
  'domain.failing': t`The record of a domain is missing`,
  'domain.expired': t`A domain is no longer verified`,
  'domain.removed': t`Removed a domain`,
  'membership_request.created': t`Asked to join an organization`,
  'membership_request.declined': t`Declined a request to join`,
  'connection.created': t`Connected a provider`,
  'connection.changed': t`Changed the connection to a provider`,
  'connection.activated': t`Activated single sign-on`,
  'connection.deactivated': t`Deactivated single sign-on`,
  'connection.required': t`Made single sign-on required`,
  'connection.optional': t`Made single sign-on optional`,
  'connection.recovered': t`Ended required single sign-on with the recovery code`,
  'connection.deleted': t`Removed the connection to a provider`,
  'connection.address_refused': t`Refused an address that a provider asserted`,
  'organization_role.created': t`Created a role for organizations`,
  'organization_role.changed': t`Changed a role for organizations`,
  'organization_role.deleted': t`Deleted a role for organizations`,
  'application.created': t`Added an application`,
  'application.changed': t`Changed an application`,
  'application.removed': t`Removed an application`,
  'application.opened': t`Opened an application`,
  'invitation.role_changed': t`Changed the role of an invitation`,
  'directory.changed': t`Changed the directory sync`,
  'directory.token_made': t`Created a token for the directory`,
  'directory.token_revoked': t`Revoked the token of the directory`,
  'directory.user_created': t`Added from the directory`,
  'directory.user_changed': t`Updated from the directory`,
  'directory.user_removed': t`Removed by the directory`,
  'directory.group_created': t`Added a group`,
  'directory.group_changed': t`Changed a group`,
  'directory.group_removed': t`Removed a group`,
  'directory.group_marked': t`Changed the role of a group`,
  'people.exported': t`Exported people`,
  'invitations.exported': t`Exported invitations`,
  'activity.exported': t`Exported the activity log`,
});

export const actionLabel = (action: string): string =>
  actions()[action] ?? activityText(action) ?? fieldLabel(action);

/** Returns the number of invitations for an import, the label for a setting, and otherwise the target's name as logged. */
export function targetLabel({
  target,
  targetType,
  targetId,
}: Pick<Activity, 'target' | 'targetType' | 'targetId'>): string {
  if (targetType === 'settings')
    return Object.hasOwn(settingNames, targetId)
      ? formatMessage(settingNames[targetId as keyof typeof settingNames])
      : target;
  if (targetType !== 'invitation_batch') return target;
  const count = Number.parseInt(target, 10);
  return plural(count, { one: '# invitation', other: '# invitations' });
}

const values = (): Record<string, string> => ({
  member: t`Member`,
  manager: t`Manager`,
  suspended: t`Suspended`,
  admin: t`Administrator`,
  active: t`Active`,
  disabled: t`Disabled`,
  everyone: t`Everyone`,
  siteRole: t`A role of this site`,
  organization: t`An organization`,
  group: t`A group of the directory`,
  person: t`A person`,
});

const emptyValue = '–';

const isIdName = (name: string) => /(?:^i|I)ds?$/.test(name);

/** ISO 8601, as in JSON. */
const isoTimePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** Formats a detail's value; field names keep their spelling, list items are joined. */
function formatValue(value: unknown): string {
  if (value === null || value === undefined || value === '') return emptyValue;
  if (typeof value === 'string')
    return values()[value] ?? (isoTimePattern.test(value) ? formatMoment(value) : value);
  if (typeof value === 'boolean') return value ? t`Yes` : t`No`;
  if (Array.isArray(value)) return value.map((one) => formatValue(one)).join(', ') || emptyValue;
  if (typeof value === 'object')
    return Object.entries(value)
      .filter(([name]) => !('kind' in value && isIdName(name)))
      .map(([name, one]) => (name === 'kind' ? formatValue(one) : `${fieldLabel(name)}: ${formatValue(one)}`))
      .join('; ');
  return JSON.stringify(value);
}

/** Logged fields of an invitation: all but its message and delivery options. */
type LoggedField = Exclude<keyof NewInvitation, 'message' | 'language' | 'lifetimeDays' | 'attachmentIds'>;

const fields = (): Record<string, string> & Record<LoggedField, string> => ({
  email: t`E-mail`,
  name: t`Name`,
  displayName: t`Name`,
  role: t`Role`,
  status: t`Status`,
  size: t`Size`,
  type: t`Type`,
  owner: t`Owner`,
  organization: t`Organization`,
  slug: t`Short name`,
  seatLimit: t`Seats`,
  expiresAt: t`Expires`,
  members: t`Members`,
  address: t`Address`,
  access: t`Who may use it`,
  sha256: 'SHA-256',
});

/** `invitationLifetimeDays` becomes "Invitation lifetime days". */
function fieldLabel(name: string): string {
  const known = fields()[name];
  if (known !== undefined) return known;
  const words = name.replaceAll(/([a-z])([A-Z])|[_.]/g, (_, before: string, after: string) =>
    before ? `${before} ${after.toLowerCase()}` : ' ',
  );
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * Formats the changes on one line: ": Member → Administrator". Returns an empty string for a deletion, which has values only in `before`.
 */
export function formatChanges(detail: Record<string, unknown>): string {
  const changes = readDetail(detail).changes.filter(({ after }) => after !== emptyValue || 'after' in detail);
  const formatted = changes.map(({ field, before, after }) =>
    changes.length === 1 ? `${before} → ${after}` : `${field}: ${before} → ${after}`,
  );
  return formatted.length === 0 ? '' : `: ${formatted.join('; ')}`;
}

/**
 * Describes an entry, such as "Changed the role: Member → Administrator" or "Disabled Bob Example". Omits the name of the target if its
 * address is `about`.
 */
export function entrySentence(
  entry: Pick<Activity, 'action' | 'target' | 'targetType' | 'targetId' | 'targetPerson' | 'detail'>,
  about?: string,
): string {
  const whom =
    entry.target && entry.target !== about ? ` ${entry.targetPerson?.displayName ?? targetLabel(entry)}` : '';
  return `${actionLabel(entry.action)}${whom}${formatChanges(entry.detail)}`;
}

/** Returns the fields that differ between `before` and `after`, and the other details. */
export function readDetail(detail: Record<string, unknown>): {
  changes: { field: string; before: string; after: string }[];
  others: { name: string; value: string }[];
} {
  // A corrected address is logged as `from` and `to`.
  const {
    from,
    to,
    before = from && { email: from },
    after = to && { email: to },
    token: _,
    organization,
    ...rest
  } = detail;
  const was = fieldsOf(before);
  const is = fieldsOf(after);
  const changes = [...new Set([...Object.keys(was), ...Object.keys(is)])]
    .map((field) => ({
      field: fieldLabel(field),
      before: formatValue(was[field]),
      after: formatValue(is[field]),
    }))
    .filter((change) => change.before !== change.after);
  const others = Object.entries({ ...rest, organization: organizationLabel(organization) })
    // Ids are omitted: the entry names its target.
    .filter(([name]) => !isIdName(name))
    .map(([name, value]) => ({ name: fieldLabel(name), value: formatValue(value) }))
    .filter(({ value }) => value !== emptyValue);
  return { changes, others };
}

function organizationLabel(organization: unknown): string | undefined {
  const { name, asSiteAdministrator } = (organization ?? {}) as { name?: string; asSiteAdministrator?: true };
  return name !== undefined && asSiteAdministrator ? t`${name} (as an administrator of this site)` : name;
}

function fieldsOf(value: unknown): Record<string, unknown> {
  if (value === undefined || value === null) return {};
  return typeof value === 'object' && !Array.isArray(value) ? { ...value } : { value };
}

/** Returns the actor. If an access token was used, the name includes the token's name. If the site is the actor, the address is empty. */
export function actorOf({ actor, actorPerson, tokenName }: Activity): ShownPerson {
  const shown = personOrEmail(actor, actorPerson);
  if (!shown || !actor.includes('@')) return { id: actor, name: actor, email: '' };
  const { name, ...rest } = shown;
  return { ...rest, name: name && tokenName ? t`${name} (token “${tokenName}”)` : name };
}

/** Returns null if the target is neither a person nor an invitation. */
export const affectedBy = ({ target, targetType, targetPerson }: Activity): ShownPerson | null =>
  targetType === 'person' || targetType === 'invitation' ? personOrEmail(target, targetPerson) : null;
