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

/** `row` is the number that the user sees. */
type ParsedRow = { row: number } & ({ invitee: InviteeInput } | { email: string; problem: Message });
type ValidRow = ParsedRow & { invitee: InviteeInput };

type Judgement = {
  verdict: RowVerdict;
  text: Message;
} & Partial<Pick<RowCheck, 'firstRow' | 'looksLike' | 'suggestion'>>;

export async function checkRows(
  database: Queryable,
  rows: BatchRow[],
  rules: Rules,
  at: Date,
): Promise<CheckedRow[]> {
  const parsedRows = rows.map((row, index) => ({ row: row.row ?? index + 1, ...parseRow(row, rules) }));
  const firstByAddress = new Map<string, ValidRow>();
  for (const row of parsedRows)
    if ('invitee' in row && !firstByAddress.has(row.invitee.emailCanonical))
      firstByAddress.set(row.invitee.emailCanonical, row);
  const known = await findKnownAddresses(database, [...firstByAddress.keys()], rules.organizationId, at);
  const firstBySkeleton = new Map<string, ValidRow>();

  function judge(row: ValidRow): Judgement {
    const { role, emailCanonical: address } = row.invitee;
    const first = firstByAddress.get(address);
    if (first && first !== row) {
      const firstRow = first.row;
      return { verdict: 'duplicate', text: createMessage(rowTexts.duplicate, { row: firstRow }), firstRow };
    }
    if (known.members.has(address)) return { verdict: 'member', text: createMessage(rowTexts.member) };
    if (!isAllowed(address, rules.allowedDomains)) {
      const text = createMessage(rowTexts.domainNotAllowed, { domain: domainOf(address) });
      return { verdict: 'domain_not_allowed', text };
    }
    if (known.invited.has(address)) return { verdict: 'invited', text: createMessage(rowTexts.invited) };

    const skeleton = skeletonOf(address);
    const earlier = firstBySkeleton.get(skeleton);
    if (!earlier) firstBySkeleton.set(skeleton, row);
    const similar = known.similar.get(address);
    if (similar) {
      const { email } = similar;
      const text = createMessage(similar.isMember ? rowTexts.likeMember : rowTexts.likeInvited, { email });
      return { verdict: 'look_alike', text, looksLike: email };
    }
    if (earlier) {
      const { email } = earlier.invitee;
      const text = createMessage(rowTexts.likeRow, { email, row: earlier.row });
      return { verdict: 'look_alike', text, looksLike: email };
    }
    return (
      judgeDomain(row.invitee, rules) ?? {
        verdict: 'new',
        text: createMessage(role === 'admin' ? rowTexts.newAdministrator : rowTexts.new),
      }
    );
  }

  return parsedRows.map((row) => {
    const isValid = 'invitee' in row;
    const { verdict, text, ...details } = isValid ? judge(row) : judgeInvalid(row.problem);
    const email = isValid ? row.invitee.email : row.email;
    const nothing = { firstRow: null, looksLike: null, suggestion: null };
    return {
      check: { ...text, row: row.row, email, verdict, ...nothing, ...details },
      invitee: isValid ? row.invitee : null,
    };
  });
}

function judgeInvalid(problem: Message): Judgement {
  const { suggestion } = problem.values;
  return {
    verdict: 'invalid',
    text: problem,
    ...(suggestion !== undefined && { suggestion: String(suggestion) }),
  };
}

/** Returns null if there is no doubt about the domain. */
function judgeDomain({ email, emailCanonical }: InviteeInput, rules: Rules): Judgement | null {
  if (rules.allowedDomains.length > 0) return null;
  const warning = findDomainWarning(domainOf(emailCanonical), rules.ownDomain);
  if (!warning) return null;
  const [local = ''] = email.split('@');
  const suggestion = warning.suggestion && `${local}@${warning.suggestion}`;
  return { verdict: 'doubtful_domain', text: warning.text, suggestion };
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
export const isAllowed = (emailCanonical: string, allowedDomains: string[]): boolean =>
  allowedDomains.length === 0 || allowedDomains.includes(domainOf(emailCanonical));

export function requireAllowed(
  emailCanonical: string,
  { allowedDomains }: { allowedDomains: string[] },
): void {
  if (!isAllowed(emailCanonical, allowedDomains)) throw fail(invitationErrors.domainNotAllowed);
}

export function requireCanonical(email: string): string {
  const emailCanonical = canonicalEmail(email);
  if (emailCanonical !== null) return emailCanonical;
  throw fail(requestErrors.invalid, { fields: { email: createMessage(fieldTexts.unusableAddress) } });
}

function parseRow(
  row: BatchRow,
  rules: Rules,
): { invitee: InviteeInput } | { email: string; problem: Message } {
  const { data: address = '' } = InvitedAddress.safeParse(row.email);
  const email = address || cutText(row.email.trim(), 320);
  const emailCanonical = canonicalEmail(address);
  if (emailCanonical === null) return { email, problem: explainInvalidAddress(row.email) };
  const role = rules.readRole(row.role, rules.role);
  if ('code' in role) return { email, problem: role };
  const name = NewInvitation.shape.name.safeParse(row.name);
  if (!name.success) return { email, problem: createMessage(rowTexts.badName, { maximum: nameMaximum }) };
  const message = NewInvitation.shape.message.safeParse(row.message?.trim() || rules.message);
  if (!message.success)
    return { email, problem: createMessage(rowTexts.badMessage, { maximum: messageMaximum }) };
  return { invitee: { email, emailCanonical, name: name.data, ...role, message: message.data } };
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
