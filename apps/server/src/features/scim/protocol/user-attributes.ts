/** Parses the attributes of a user and applies changes to them. Attributes that are not stored are ignored. */
import { cutText } from '@vestibule/contract/rules/cut-text';
import { cleanLine } from '@vestibule/contract/rules/clean-text';
import { canonicalEmail } from '../../../platform/identity/canonical-email.ts';
import { isStored, readPath, type AttributePath } from './attribute-path.ts';
import {
  complexValuesOf,
  findAttribute,
  singleValueOf,
  readBoolean,
  readText,
  requireObject,
  type AttributeChange,
} from './patch.ts';
import { badRequest } from './scim-failure.ts';

export type UserAttributes = {
  userName: string;
  externalId: string | null;
  displayName: string | null;
  formattedName: string | null;
  givenName: string | null;
  familyName: string | null;
  /** As sent by the directory; null if it sends none, in which case the user name is the address. */
  email: string | null;
  /** Null if not sent. */
  active: boolean | null;
};

export type Address = { email: string; emailCanonical: string; emailFollows: boolean };

export const emptyUser: UserAttributes = {
  userName: '',
  externalId: null,
  displayName: null,
  formattedName: null,
  givenName: null,
  familyName: null,
  email: null,
  active: null,
};

const texts: Record<string, Exclude<keyof UserAttributes, 'active' | 'userName' | 'email'>> = {
  externalid: 'externalId',
  displayname: 'displayName',
  'name.formatted': 'formattedName',
  'name.givenname': 'givenName',
  'name.familyname': 'familyName',
};
const mailboxesMaximum = 100;

export function changeUser(before: UserAttributes, changes: AttributeChange[]): UserAttributes {
  const after = { ...before };
  for (const change of changes) apply(after, change);
  if (after.userName === '') throw badRequest('invalidValue', 'A user has a userName.');
  return after;
}

function apply(user: UserAttributes, { op, path, value: sentValue }: AttributeChange): void {
  const at = readPath(path);
  const value = op === 'remove' ? null : sentValue;
  const text = Object.hasOwn(texts, at.attribute) ? texts[at.attribute] : undefined;
  if (text) user[text] = readText(value, path);
  else if (at.attribute === 'username') user.userName = readText(value, 'userName') ?? '';
  else if (at.attribute === 'active') user.active = readBoolean(value, 'active') ?? user.active;
  else if (at.attribute === 'name') {
    const name = singleValueOf(complexValuesOf(value), 'name');
    for (const part of ['formatted', 'givenname', 'familyname'] as const) {
      const sentPart = name === null ? null : findAttribute(requireObject(name), part);
      if (sentPart !== undefined) apply(user, { op, path: `name.${part}`, value: sentPart });
    }
  } else if (at.attribute === 'emails') changeMailboxes(user, at, { op, value: sentValue });
  else if (at.attribute === 'emails.value' && isStored(at)) user.email = readText(value, 'emails');
}

/**
 * Stores the primary address, otherwise the work address, otherwise the first one. An added address that is neither
 * primary nor a work address replaces no stored one.
 */
function changeMailboxes(
  user: UserAttributes,
  at: AttributePath,
  { op, value }: Pick<AttributeChange, 'op' | 'value'>,
): void {
  if (!isStored(at)) return;
  const mailboxes = complexValuesOf(value).map((mailbox) =>
    typeof mailbox === 'string' ? { value: mailbox } : requireObject(mailbox),
  );
  if (mailboxes.length > mailboxesMaximum)
    throw badRequest('tooMany', `A user has at most ${mailboxesMaximum} addresses.`);
  // An empty list of addresses to remove is not the same as no list.
  if (op === 'remove' && (mailboxes.length > 0 || Array.isArray(value))) {
    const removed = mailboxes.map((mailbox) => canonicalEmail(String(findAttribute(mailbox, 'value'))));
    if (user.email !== null && removed.includes(canonicalEmail(user.email))) user.email = null;
    return;
  }
  const preferred =
    mailboxes.find((mailbox) => String(findAttribute(mailbox, 'primary')).toLowerCase() === 'true') ??
    mailboxes.find((mailbox) => String(findAttribute(mailbox, 'type')).toLowerCase() === 'work');
  if (op === 'add' && user.email !== null && !preferred) return;
  const chosen = preferred ?? mailboxes[0];
  user.email = chosen ? readText(findAttribute(chosen, 'value'), 'emails') : null;
}

/** Returns the address for invitations and sign-in. */
export function addressOf({ userName, email }: UserAttributes): Address {
  const address = (email ?? userName).trim();
  const emailCanonical = canonicalEmail(address);
  if (emailCanonical === null)
    throw badRequest(
      'invalidValue',
      'A user needs a valid e-mail address. Map it to emails[type eq "work"].value, or to userName.',
    );
  return { email: address, emailCanonical, emailFollows: email === null };
}

/** Whether the address is the principal name of a guest in Entra ID, which looks like an address, but receives no mail. */
export const isGuestPrincipalName = (emailCanonical: string): boolean => emailCanonical.includes('#ext#@');

/** Whether Entra ID has put the id of a deleted user before its principal name, so that another user can have the name (Microsoft, "Restore or remove a recently deleted user"). */
export const isDeletedPrincipalName = (address: string, before: string): boolean =>
  /^[0-9a-f]{32}/i.test(address) && address.slice(32).toLowerCase() === before.toLowerCase();

/** Returns the name for invitations. */
export function nameOf({ displayName, formattedName, givenName, familyName }: UserAttributes): string {
  const parts = [givenName, familyName].filter((part) => part !== null).join(' ');
  return cutText(cleanLine(displayName ?? formattedName ?? parts).trim(), 100);
}
