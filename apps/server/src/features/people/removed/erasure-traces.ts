/** Finds the ids and texts that identify a person without an account, before the erasure. */
import { getSpellings } from '@vestibule/contract/rules/clean-text';
import { rawSql, rowsOf, scalarsOf, type Queryable } from '../../../platform/database/database.ts';
import { createPattern, type TextPattern } from '../../../platform/database/replace-everywhere.ts';
import { canonicalEmail } from '../../../platform/identity/canonical-email.ts';
import { valuesOf } from '../../../platform/values-of.ts';

export type PersonTraces = {
  /** Ids of their accounts; several if they joined again after a removal. */
  personIds: string[];
  invitationIds: string[];
  /** In lower case. */
  addresses: string[];
  everywhere: TextPattern[];
  /** Replaced only in data about the person: single words and names that other people have as well. */
  aboutThem: TextPattern[];
  /** Network addresses that no other person used, as far as the database shows. */
  networks: TextPattern | null;
  networkAddresses: string[];
};

export async function findTraces(
  database: Queryable,
  email: string,
  canonical: string,
): Promise<PersonTraces> {
  const spellings = await rowsOf<{
    email: string;
    name: string;
    invitation: string | null;
    person: string | null;
  }>(database)`
    select email, display_name as name, null::text as invitation, id::text as person from removed_people
      where email_canonical = ${canonical}
    union all select email, name, id::text, redeemed_by::text from invitations where email_canonical = ${canonical}
    union all select owner_email, owner_name, null, null from attachments where lower(owner_email) = lower(${email})`;
  const knownAddresses = distinct(
    [email, canonical, ...spellings.map((row) => row.email)].flatMap(getSpellings).map(toLowerCase),
  );
  // Excludes former addresses of people and of corrected invitations, which others may have now, and older entries about transferred
  // files, which named the receiver.
  const logged = await rowsOf<{ person: string | null; invitation: string | null }>(database)`
    select actor_id::text as person, null::text as invitation from audit_log entry
      where lower(actor_label) = any(${knownAddresses}) and ${isCurrentAddress('actor_id::text', knownAddresses)}
    union select target_id, null from audit_log entry where target_type = 'person'
      and lower(target_label) = any(${knownAddresses})
      and action <> 'person.files_handed_over' and ${isCurrentAddress('target_id', knownAddresses)}
    union select null, target_id from audit_log entry where target_type = 'invitation'
      and lower(target_label) = any(${knownAddresses})
      and not exists (select from audit_log later where later.target_type = 'invitation'
        and later.target_id = entry.target_id
        and later.id > entry.id and later.action = 'invitation.address_changed')`;
  const traces = [...spellings, ...logged];
  const personIds = distinct(traces.map(({ person }) => person));
  // An invitation can name a former address.
  const redeemed = await rowsOf<{ id: string }>(database)`
    select id from invitations where redeemed_by = any(${personIds})`;
  const invitationIds = distinct([...valuesOf(traces, 'invitation'), ...valuesOf(redeemed, 'id')]);

  // Former addresses of corrected invitations, and addresses reported by providers.
  const otherAddresses = await rowsOf<{ address: string }>(database)`
    select lower(detail ->> 'from') as address from audit_log
    where action = 'invitation.address_changed' and target_id = any(${invitationIds})
    union select lower(changed.named) from audit_log,
      lateral (values (detail ->> 'before'), (detail ->> 'after'), (detail ->> 'account')) as changed (named)
    where action in ('person.provider_address_changed', 'identity.added') and target_id = any(${personIds})
      and changed.named is not null
    union select lower(detail -> 'before' ->> 'email') from audit_log
    where action = 'person.changed' and target_id = any(${personIds}) and detail -> 'before' ? 'email'`;
  const unused = await filterUnused(database, valuesOf(otherAddresses, 'address'), {
    canonical,
    invitationIds,
  });
  const addresses = distinct([...knownAddresses, ...unused]);
  const names = [...valuesOf(spellings, 'name'), ...(await findFormerNames(database, personIds))];
  const { unique, shared } = await sortNames(database, distinct(names.map((name) => name.trim())), {
    canonical,
    personIds,
  });
  const networkAddresses = await findNetworks(database, personIds, invitationIds);
  return {
    personIds,
    invitationIds,
    addresses,
    everywhere: [createPattern(addresses, 'address'), createPattern(unique, 'name')].filter(
      (texts) => texts !== null,
    ),
    aboutThem: [createPattern(shared, 'name')].filter((texts) => texts !== null),
    networks: createPattern(networkAddresses, 'network'),
    networkAddresses,
  };
}

/** Condition of an entry that names a person by one of the addresses: the address was not changed later. */
const isCurrentAddress = (personId: string, addresses: string[]) =>
  rawSql(
    (listed) => `not exists (
      select from audit_log later where later.target_type = 'person' and later.target_id = entry.${personId}
      and later.id > entry.id and later.action = 'person.changed' and lower(later.detail -> 'before' ->> 'email') = any(${listed}))`,
    addresses,
  );

const findFormerNames = (database: Queryable, personIds: string[]) =>
  scalarsOf<string>(database)`
    select detail -> 'before' ->> 'displayName' as name from audit_log
    where action = 'person.changed' and target_id = any(${personIds}) and detail -> 'before' ? 'displayName'`;

/** Returns the addresses that no other person, removed person, invitation or directory user has. */
async function filterUnused(
  database: Queryable,
  addresses: string[],
  { canonical, invitationIds }: { canonical: string; invitationIds: string[] },
): Promise<string[]> {
  const all = [...addresses, ...addresses.map(comparable)];
  const taken = await scalarsOf<string>(database)`
    select email_canonical from people where email_canonical = any(${all})
    union select email_canonical from removed_people where email_canonical = any(${all})
    union select email_canonical from invitations where email_canonical = any(${all}) and id::text <> all(${invitationIds})
    union select email_canonical from directory_users where email_canonical = any(${all})
    union select email_canonical from organization_directory_users where email_canonical = any(${all})
    union select lower(target_label) from audit_log
      where target_type = 'invitation' and lower(target_label) = any(${all}) and target_id <> all(${invitationIds})`;
  const used = new Set(taken.map(comparable));
  return addresses.filter((address) => comparable(address) === canonical || !used.has(comparable(address)));
}

async function sortNames(
  database: Queryable,
  names: string[],
  owner: { canonical: string; personIds: string[] },
): Promise<{ unique: string[]; shared: string[] }> {
  const rows = await rowsOf<{ name: string }>(database)`
    select called as name from unnest(${names}::text[]) asked (called)
    where exists (select from people where display_name_folded = lower(called) collate alphabetical)
      or exists (select from removed_people where display_name_folded = lower(called) collate alphabetical
        and id <> all(${owner.personIds}::uuid[]))
      or exists (select from invitations where name_folded = lower(called) collate alphabetical
        and email_canonical <> ${owner.canonical})
      or exists (select from (
        select display_name, formatted_name, email_canonical from directory_users
        union all select display_name, formatted_name, email_canonical from organization_directory_users) listed
        where lower(called) in (lower(display_name), lower(formatted_name)) and email_canonical <> ${owner.canonical})`;
  const used = new Set(valuesOf(rows, 'name'));
  const isUnique = (name: string) => /\s/.test(name) && !used.has(name);
  return { unique: names.filter(isUnique), shared: names.filter((name) => !isUnique(name)) };
}

async function findNetworks(
  database: Queryable,
  personIds: string[],
  invitationIds: string[],
): Promise<string[]> {
  // Their own sign-ins, sessions and tokens were deleted at the removal.
  const isTheirs = `actor_id = any($1::uuid[]) or (actor_id is null and target_type = 'invitation' and target_id = any($2))`;
  return scalarsOf<string>(database, {
    text: `with named as (
             select address from audit_log where address ~ '^[0-9a-fA-F.:]+$'
             group by address having bool_or(${isTheirs}) and bool_and(${isTheirs})),
           used as (
             select address from sign_ins union all select address from sessions
             union all select last_address from personal_tokens union all select last_address from directory
             union all select last_address from organization_directories)
           select address from named except select address from used where address in (select address from named)`,
    values: [personIds, invitationIds],
  });
}

const comparable = (address: string) => canonicalEmail(address) ?? address;
const toLowerCase = (text: string) => text.toLowerCase();

const distinct = (texts: (string | null)[]): string[] =>
  [...new Set(texts)].filter((text) => text !== null && text !== '') as string[];
