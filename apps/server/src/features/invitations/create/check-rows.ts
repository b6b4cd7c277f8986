/** Checks the rows of a list with a constant number of statements. */
import { cutText } from '@vestibule/contract/rules/cut-text';
import { fieldTexts } from '@vestibule/contract/texts/field-texts';
import {
  getRowRole,
  type BatchRow,
  type RowCheck,
  type RowVerdict,
  type VerdictCounts,
} from '@vestibule/contract/invitations/batches';
import { messageMaximum, nameMaximum, NewInvitation } from '@vestibule/contract/invitations/new-invitation';
import { rowTexts } from '@vestibule/contract/invitations/texts';
import type { Role } from '@vestibule/contract/rules/role';
import { createMessage, findSchemaMessage, type Message } from '@vestibule/contract/texts/text';
import { EmailAddress } from '@vestibule/contract/values';
import type { Queryable } from '../../../platform/database/database.ts';
import { canonicalEmail, domainOf } from '../../../platform/identity/canonical-email.ts';
import type { FindMailServers } from '../../../platform/mail/mail-servers.ts';
import { valuesOf } from '../../../platform/values-of.ts';
import { openAt } from '../invitation-store.ts';
import { doubtOf } from './doubtful-domain.ts';
import { asLatin, skeletonOf } from './look-alike.ts';

type WantedRow = { email: string; emailCanonical: string; name: string; role: Role; message: string };

/** `wanted` is null for an invalid row. */
export type JudgedRow = { check: RowCheck; wanted: WantedRow | null };

/** `ownDomain` is the domain of the inviter. */
type Rules = { role: Role; message: string; allowedDomains: string[]; ownDomain: string };

export async function judgeRows(
  database: Queryable,
  rows: BatchRow[],
  rules: Rules,
  at: Date,
): Promise<JudgedRow[]> {
  const read = rows.map((row) => readRow(row, rules));
  const firstRows = new Map<string, number>();
  read.forEach((row, index) => {
    if ('wanted' in row && !firstRows.has(row.wanted.emailCanonical))
      firstRows.set(row.wanted.emailCanonical, index);
  });
  const known = await findKnown(database, [...firstRows.keys()], at);
  const firstLooks = new Map<string, number>();
  const numberOf = (index: number) => rows[index]?.row ?? index + 1;

  return read.map((row, index) => {
    const check = (verdict: RowVerdict, text: Message, more: Partial<RowCheck> = {}): RowCheck => ({
      ...text,
      row: numberOf(index),
      email: 'wanted' in row ? row.wanted.email : row.text,
      verdict,
      firstRow: null,
      looksLike: null,
      suggestion: null,
      ...more,
    });
    if (!('wanted' in row)) return { check: check('invalid', row.problem), wanted: null };
    const { wanted } = row;
    const judged = (...args: Parameters<typeof check>) => ({ check: check(...args), wanted });

    const first = firstRows.get(wanted.emailCanonical) as number;
    if (first < index) {
      const firstRow = numberOf(first);
      return judged('duplicate', createMessage(rowTexts.duplicate, { row: firstRow }), { firstRow });
    }
    if (known.members.has(wanted.emailCanonical)) return judged('member', createMessage(rowTexts.member));
    if (!isAllowed(wanted.emailCanonical, rules.allowedDomains)) {
      const domain = domainOf(wanted.emailCanonical);
      return judged('domain_not_allowed', createMessage(rowTexts.domainNotAllowed, { domain }));
    }
    if (known.invited.has(wanted.emailCanonical)) return judged('invited', createMessage(rowTexts.invited));

    const skeleton = skeletonOf(wanted.emailCanonical);
    const twin = known.looks.get(wanted.emailCanonical);
    const earlier = firstLooks.get(skeleton);
    if (earlier === undefined) firstLooks.set(skeleton, index);
    if (twin) {
      const { email } = twin;
      const like = twin.isMember ? rowTexts.likeMember : rowTexts.likeInvited;
      return judged('look_alike', createMessage(like, { email }), { looksLike: email });
    }
    const other = earlier === undefined ? undefined : read[earlier];
    if (other && 'wanted' in other) {
      const { email } = other.wanted;
      const text = createMessage(rowTexts.likeRow, { email, row: numberOf(earlier as number) });
      return judged('look_alike', text, { looksLike: email });
    }
    const doubt =
      rules.allowedDomains.length > 0 ? null : doubtOf(domainOf(wanted.emailCanonical), rules.ownDomain);
    if (doubt) {
      const [local = ''] = wanted.email.split('@');
      const suggestion = doubt.meant && `${local}@${doubt.meant}`;
      return judged('doubtful_domain', doubt.text, { suggestion });
    }
    return judged('new', createMessage(wanted.role === 'admin' ? rowTexts.newAdministrator : rowTexts.new));
  });
}

/** Marks new rows whose domain accepts no mail, as far as that is known within a second. */
export async function doubtMailServers(judged: JudgedRow[], find: FindMailServers): Promise<void> {
  const fresh = judged.flatMap(({ check, wanted }) =>
    wanted && check.verdict === 'new' ? [{ check, domain: domainOf(wanted.emailCanonical) }] : [],
  );
  const found = await find([...new Set(valuesOf(fresh, 'domain'))]);
  for (const { check, domain } of fresh)
    if (found.get(domain) === false)
      Object.assign(check, createMessage(rowTexts.domainWithoutMail, { domain }), {
        verdict: 'doubtful_domain',
      });
}

export function countVerdicts(judged: JudgedRow[]): VerdictCounts {
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
  for (const { check } of judged) counts[check.verdict] += 1;
  return counts;
}

/** `allowedDomains` are lower-case A-labels. Empty allows every domain. */
export function isAllowed(emailCanonical: string, allowedDomains: string[]): boolean {
  return allowedDomains.length === 0 || allowedDomains.includes(domainOf(emailCanonical));
}

function readRow(row: BatchRow, rules: Rules): { wanted: WantedRow } | { text: string; problem: Message } {
  const text = cutText(row.email.trim(), 320);
  const emailCanonical = canonicalEmail(row.email);
  if (emailCanonical === null) return { text, problem: whatIsWrong(row.email) };
  const role = getRowRole(row, rules.role);
  if (!role) return { text, problem: createMessage(rowTexts.unknownRole) };
  const name = NewInvitation.shape.name.safeParse(row.name);
  if (!name.success) return { text, problem: createMessage(rowTexts.badName, { maximum: nameMaximum }) };
  const message = NewInvitation.shape.message.safeParse(row.message?.trim() || rules.message);
  if (!message.success)
    return { text, problem: createMessage(rowTexts.badMessage, { maximum: messageMaximum }) };
  return { wanted: { email: text, emailCanonical, name: name.data, role, message: message.data } };
}

function whatIsWrong(email: string): Message {
  if (email.trim() === '') return createMessage(rowTexts.noAddress);
  const foreign = /[^\0-\x7f]/.exec(email.split('@')[0] ?? '')?.[0];
  const latin = asLatin(email);
  if (foreign && canonicalEmail(latin) !== null)
    return createMessage(rowTexts.foreignCharacter, { character: foreign, suggestion: latin.trim() });
  const [issue] = EmailAddress.safeParse(email).error?.issues ?? [];
  return findSchemaMessage(issue?.message ?? '') ?? createMessage(fieldTexts.unusableAddress);
}

type Known = {
  members: Set<string>;
  invited: Set<string>;
  /** Similar, but different addresses. */
  looks: Map<string, { email: string; isMember: boolean }>;
};

async function findKnown(database: Queryable, addresses: string[], at: Date): Promise<Known> {
  const skeletons = addresses.map(skeletonOf);
  const [members, invited, looks] = await Promise.all([
    database.query<{ email_canonical: string }>({
      text: `select email_canonical from unnest($1::text[]) asked join people on email_canonical = asked`,
      values: [addresses],
    }),
    database.query<{ email_canonical: string }>({
      text: `select email_canonical from unnest($1::text[]) asked
             join invitations on email_canonical = asked and ${openAt('$2')}`,
      values: [addresses, at],
    }),
    database.query<{ address: string; email: string; isMember: boolean }>({
      text: `select address, people.email, true as "isMember"
             from unnest($1::text[], $2::text[]) asked (address, skeleton)
             join people on address_skeleton(email_canonical) = skeleton and email_canonical <> address
             union all
             select address, invitations.email, false
             from unnest($1::text[], $2::text[]) asked (address, skeleton)
             join invitations on address_skeleton(email_canonical) = skeleton and email_canonical <> address
               and ${openAt('$3')}`,
      values: [addresses, skeletons, at],
    }),
  ]);
  return {
    members: new Set(valuesOf(members.rows, 'email_canonical')),
    invited: new Set(valuesOf(invited.rows, 'email_canonical')),
    // The last entry wins: members take precedence over invitations.
    looks: new Map(
      looks.rows
        .toSorted((one, other) => Number(one.isMember) - Number(other.isMember))
        .map((row) => [row.address, row]),
    ),
  };
}
