/** Checks the rows of a list with a constant number of statements. */
import { cutText } from '@vestibule/contract/rules/cut-text';
import { fieldTexts } from '@vestibule/contract/texts/field-texts';
import type { BatchRow, RowCheck, RowVerdict, VerdictCounts } from '@vestibule/contract/invitations/batches';
import { invitationErrors } from '@vestibule/contract/invitations';
import { requestErrors } from '@vestibule/contract/request-errors';
import { messageMaximum, nameMaximum, NewInvitation } from '@vestibule/contract/invitations/new-invitation';
import { rowTexts } from '@vestibule/contract/invitations/texts';
import { createMessage, findSchemaMessage, type Message } from '@vestibule/contract/texts/text';
import { InvitedAddress } from '@vestibule/contract/values';
import type { Queryable } from '../../../platform/database/database.ts';
import { fail } from '../../../platform/errors/failure.ts';
import { canonicalEmail, domainOf } from '../../../platform/identity/canonical-email.ts';
import type { FindMailServers } from '../../../platform/mail/mail-servers.ts';
import { valuesOf } from '../../../platform/values-of.ts';
import { isOpenSql } from '../invitation-store.ts';
import type { InvitedRole, ReadRole } from '../scope.ts';
import { findDomainWarning } from './doubtful-domain.ts';
import { toLatin, skeletonOf } from './look-alike.ts';

type InviteeInput = InvitedRole & { email: string; emailCanonical: string; name: string; message: string };

/** `invitee` is null for an invalid row. */
export type CheckedRow = { check: RowCheck; invitee: InviteeInput | null };

/** `ownDomain` is the domain of the inviter. Without `organizationId`, the list is for the site. */
type Rules = {
  role: string;
  readRole: ReadRole;
  message: string;
  allowedDomains: string[];
  ownDomain: string;
  organizationId: string | null;
};

export async function checkRows(
  database: Queryable,
  rows: BatchRow[],
  rules: Rules,
  at: Date,
): Promise<CheckedRow[]> {
  const parsedRows = rows.map((row) => parseRow(row, rules));
  const firstRowByAddress = new Map<string, number>();
  parsedRows.forEach((row, index) => {
    if ('invitee' in row && !firstRowByAddress.has(row.invitee.emailCanonical))
      firstRowByAddress.set(row.invitee.emailCanonical, index);
  });
  const known = await findKnownAddresses(database, [...firstRowByAddress.keys()], rules.organizationId, at);
  const firstRowBySkeleton = new Map<string, number>();
  const numberOf = (index: number) => rows[index]?.row ?? index + 1;

  return parsedRows.map((row, index) => {
    const check = (verdict: RowVerdict, text: Message, more: Partial<RowCheck> = {}): RowCheck => ({
      ...text,
      row: numberOf(index),
      email: 'invitee' in row ? row.invitee.email : row.text,
      verdict,
      firstRow: null,
      looksLike: null,
      suggestion: null,
      ...more,
    });
    if (!('invitee' in row)) {
      const { suggestion } = row.problem.values;
      const more = suggestion === undefined ? {} : { suggestion: String(suggestion) };
      return { check: check('invalid', row.problem, more), invitee: null };
    }
    const { invitee } = row;
    const withInvitee = (...args: Parameters<typeof check>) => ({ check: check(...args), invitee });

    const first = firstRowByAddress.get(invitee.emailCanonical) as number;
    if (first < index) {
      const firstRow = numberOf(first);
      return withInvitee('duplicate', createMessage(rowTexts.duplicate, { row: firstRow }), { firstRow });
    }
    if (known.members.has(invitee.emailCanonical))
      return withInvitee('member', createMessage(rowTexts.member));
    if (!isAllowed(invitee.emailCanonical, rules.allowedDomains)) {
      const domain = domainOf(invitee.emailCanonical);
      return withInvitee('domain_not_allowed', createMessage(rowTexts.domainNotAllowed, { domain }));
    }
    if (known.invited.has(invitee.emailCanonical))
      return withInvitee('invited', createMessage(rowTexts.invited));

    const skeleton = skeletonOf(invitee.emailCanonical);
    const similar = known.similar.get(invitee.emailCanonical);
    const earlierIndex = firstRowBySkeleton.get(skeleton);
    if (earlierIndex === undefined) firstRowBySkeleton.set(skeleton, index);
    if (similar) {
      const { email } = similar;
      const definition = similar.isMember ? rowTexts.likeMember : rowTexts.likeInvited;
      return withInvitee('look_alike', createMessage(definition, { email }), { looksLike: email });
    }
    const other = earlierIndex === undefined ? undefined : parsedRows[earlierIndex];
    if (other && 'invitee' in other) {
      const { email } = other.invitee;
      const text = createMessage(rowTexts.likeRow, { email, row: numberOf(earlierIndex as number) });
      return withInvitee('look_alike', text, { looksLike: email });
    }
    const warning =
      rules.allowedDomains.length > 0
        ? null
        : findDomainWarning(domainOf(invitee.emailCanonical), rules.ownDomain);
    if (warning) {
      const [local = ''] = invitee.email.split('@');
      const suggestion = warning.suggestion && `${local}@${warning.suggestion}`;
      return withInvitee('doubtful_domain', warning.text, { suggestion });
    }
    return withInvitee(
      'new',
      createMessage(invitee.role === 'admin' ? rowTexts.newAdministrator : rowTexts.new),
    );
  });
}

/** Marks new rows whose domain accepts no mail, as far as that is known within a second. */
export async function warnAboutMailServers(checkedRows: CheckedRow[], find: FindMailServers): Promise<void> {
  const newRows = checkedRows.flatMap(({ check, invitee }) =>
    invitee && check.verdict === 'new' ? [{ check, domain: domainOf(invitee.emailCanonical) }] : [],
  );
  const found = await find([...new Set(valuesOf(newRows, 'domain'))]);
  for (const { check, domain } of newRows)
    if (found.get(domain) === false)
      Object.assign(check, createMessage(rowTexts.domainWithoutMail, { domain }), {
        verdict: 'doubtful_domain',
      });
}

export function countVerdicts(checkedRows: CheckedRow[]): VerdictCounts {
  const counts: VerdictCounts = {
    new: 0,
    member: 0,
    invited: 0,
    invalid: 0,
    domain_not_allowed: 0,
    duplicate: 0,
    look_alike: 0,
    doubtful_domain: 0,
  };
  for (const { check } of checkedRows) counts[check.verdict] += 1;
  return counts;
}

/** `allowedDomains` are lower-case A-labels. Empty allows every domain. */
export function isAllowed(emailCanonical: string, allowedDomains: string[]): boolean {
  return allowedDomains.length === 0 || allowedDomains.includes(domainOf(emailCanonical));
}

export function requireAllowed(
  emailCanonical: string,
  { allowedDomains }: { allowedDomains: string[] },
): void {
  if (!isAllowed(emailCanonical, allowedDomains)) throw fail(invitationErrors.domainNotAllowed);
}

/** Returns the canonical form of the address in a request. */
export function requireCanonical(email: string): string {
  const emailCanonical = canonicalEmail(email);
  if (emailCanonical !== null) return emailCanonical;
  throw fail(requestErrors.invalid, { fields: { email: createMessage(fieldTexts.unusableAddress) } });
}

function parseRow(
  row: BatchRow,
  rules: Rules,
): { invitee: InviteeInput } | { text: string; problem: Message } {
  const text = cutText(row.email.trim(), 320);
  const emailCanonical = InvitedAddress.safeParse(row.email).success ? canonicalEmail(row.email) : null;
  if (emailCanonical === null) return { text, problem: explainInvalidAddress(row.email) };
  const role = rules.readRole(row.role, rules.role);
  if ('code' in role) return { text, problem: role };
  const name = NewInvitation.shape.name.safeParse(row.name);
  if (!name.success) return { text, problem: createMessage(rowTexts.badName, { maximum: nameMaximum }) };
  const message = NewInvitation.shape.message.safeParse(row.message?.trim() || rules.message);
  if (!message.success)
    return { text, problem: createMessage(rowTexts.badMessage, { maximum: messageMaximum }) };
  return { invitee: { email: text, emailCanonical, name: name.data, ...role, message: message.data } };
}

function explainInvalidAddress(email: string): Message {
  if (email.trim() === '') return createMessage(rowTexts.noAddress);
  if (/[\s,;|/]/.test(email.slice(email.indexOf('@'), email.lastIndexOf('@') + 1)))
    return createMessage(rowTexts.severalAddresses);
  const joined = email.trim().replaceAll(/\s{1,5}(?=[@.])|(?<=[@.])\s{1,5}/g, '');
  if (joined !== email.trim() && canonicalEmail(joined) !== null)
    return createMessage(rowTexts.spaces, { suggestion: joined });
  const nonAscii = /[^\0-\x7f]/.exec(email.split('@')[0] ?? '')?.[0];
  const transliterated = toLatin(email);
  if (nonAscii && canonicalEmail(transliterated) !== null)
    return createMessage(rowTexts.foreignCharacter, {
      character: nonAscii,
      suggestion: transliterated.trim(),
    });
  const [issue] = InvitedAddress.safeParse(email).error?.issues ?? [];
  return findSchemaMessage(issue?.message ?? '') ?? createMessage(fieldTexts.unusableAddress);
}

type KnownAddresses = {
  members: Set<string>;
  invited: Set<string>;
  /** Similar addresses that are not equal, keyed by the checked address. */
  similar: Map<string, { email: string; isMember: boolean }>;
};

/** An inviter of an organization learns only about its own members and invitations. */
async function findKnownAddresses(
  database: Queryable,
  addresses: string[],
  organizationId: string | null,
  at: Date,
): Promise<KnownAddresses> {
  const skeletons = addresses.map(skeletonOf);
  const isOfScope = (organization: string) =>
    `(${organization}::uuid is null or exists (select from memberships where person_id = people.id and organization_id = ${organization}))`;
  const [members, invited, similar] = await Promise.all([
    database.query<{ email_canonical: string }>({
      text: `select email_canonical from unnest($1::text[]) asked join people on email_canonical = asked and ${isOfScope('$2')}`,
      values: [addresses, organizationId],
    }),
    database.query<{ email_canonical: string }>({
      text: `select email_canonical from unnest($1::text[]) asked
             join invitations on email_canonical = asked and ${isOpenSql('$2')} and organization_id is not distinct from $3`,
      values: [addresses, at, organizationId],
    }),
    database.query<{ address: string; email: string; isMember: boolean }>({
      text: `select address, people.email, true as "isMember"
             from unnest($1::text[], $2::text[]) asked (address, skeleton)
             join people on address_skeleton(email_canonical) = skeleton and email_canonical <> address and ${isOfScope('$4')}
             union all
             select address, invitations.email, false
             from unnest($1::text[], $2::text[]) asked (address, skeleton)
             join invitations on address_skeleton(email_canonical) = skeleton and email_canonical <> address
               and ${isOpenSql('$3')} and organization_id is not distinct from $4`,
      values: [addresses, skeletons, at, organizationId],
    }),
  ]);
  return {
    members: new Set(valuesOf(members.rows, 'email_canonical')),
    invited: new Set(valuesOf(invited.rows, 'email_canonical')),
    // The last entry wins: members take precedence over invitations.
    similar: new Map(
      similar.rows
        .toSorted((one, other) => Number(one.isMember) - Number(other.isMember))
        .map((row) => [row.address, row]),
    ),
  };
}
