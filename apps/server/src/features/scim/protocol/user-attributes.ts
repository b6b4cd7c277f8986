/** What a directory says of somebody, and how its requests change that. Attributes that are not kept here are passed over. */
import { cutText } from '@vestibule/contract/rules/cut-text';
import { cleanText } from '@vestibule/contract/rules/clean-text';
import { canonicalEmail } from '../../../platform/identity/canonical-email.ts';
import { isKept, readPath, type AttributePath } from './attribute-path.ts';
import { fieldOf, listOf, onlyOf, readBoolean, readText, requireObject, type Change } from './patch.ts';
import { wrong } from './scim-failure.ts';

export type UserAttributes = {
  userName: string;
  externalId: string | null;
  displayName: string | null;
  formattedName: string | null;
  givenName: string | null;
  familyName: string | null;
  /** As it was sent; null where it follows from the user name. */
  email: string | null;
  /** Null where nothing is said of it. */
  active: boolean | null;
};

export type Address = { email: string; emailCanonical: string; emailFollows: boolean };

export const nobody: UserAttributes = {
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

/** One change after the other; what was `before` stays as it is. */
export function changeUser(before: UserAttributes, changes: Change[]): UserAttributes {
  const after = { ...before };
  for (const change of changes) apply(after, change);
  if (after.userName === '') throw wrong('invalidValue', 'A user has a userName.');
  return after;
}

function apply(user: UserAttributes, { op, path, value: given }: Change): void {
  const at = readPath(path);
  const value = op === 'remove' ? null : given;
  const text = Object.hasOwn(texts, at.attribute) ? texts[at.attribute] : undefined;
  if (text) user[text] = readText(value, path);
  else if (at.attribute === 'username') user.userName = readText(value, 'userName') ?? '';
  else if (at.attribute === 'active') user.active = readBoolean(value, 'active') ?? user.active;
  else if (at.attribute === 'name') {
    const name = onlyOf(value, 'name');
    for (const part of ['formatted', 'givenname', 'familyname'] as const) {
      const said = name === null ? null : fieldOf(requireObject(name), part);
      if (said !== undefined) apply(user, { op, path: `name.${part}`, value: said });
    }
  } else if (at.attribute === 'emails') changeMailboxes(user, at, { op, value: given });
  else if (at.attribute === 'emails.value' && isKept(at)) user.email = readText(value, 'emails');
}

/** Stores the primary address, else the address of work, else the first. An added address that is neither replaces none. */
function changeMailboxes(
  user: UserAttributes,
  at: AttributePath,
  { op, value }: Pick<Change, 'op' | 'value'>,
): void {
  if (!isKept(at)) return;
  const mailboxes = listOf(value).map((one) =>
    typeof one === 'string' ? { value: one } : requireObject(one),
  );
  if (mailboxes.length > mailboxesMaximum)
    throw wrong('tooMany', `A user has at most ${mailboxesMaximum} addresses.`);
  if (op === 'remove' && mailboxes.length > 0) {
    const removed = mailboxes.map((one) => canonicalEmail(String(fieldOf(one, 'value'))));
    if (user.email !== null && removed.includes(canonicalEmail(user.email))) user.email = null;
    return;
  }
  const foremost =
    mailboxes.find((one) => String(fieldOf(one, 'primary')).toLowerCase() === 'true') ??
    mailboxes.find((one) => String(fieldOf(one, 'type')).toLowerCase() === 'work');
  if (op === 'add' && user.email !== null && !foremost) return;
  const kept = foremost ?? mailboxes[0];
  user.email = kept ? readText(fieldOf(kept, 'value'), 'emails') : null;
}

/** By which somebody is invited and let in. */
export function addressOf({ userName, email }: UserAttributes): Address {
  const address = (email ?? userName).trim();
  const emailCanonical = canonicalEmail(address);
  if (emailCanonical === null)
    throw wrong(
      'invalidValue',
      'Nobody is let in without a usable e-mail address. Map it to emails[type eq "work"].value, or to userName.',
    );
  return { email: address, emailCanonical, emailFollows: email === null };
}

/** What somebody is called in an invitation. */
export function nameOf({ displayName, formattedName, givenName, familyName }: UserAttributes): string {
  const parts = [givenName, familyName].filter((part) => part !== null).join(' ');
  return cutText(cleanText(displayName ?? formattedName ?? parts).trim(), 100);
}
