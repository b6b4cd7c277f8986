/** Streams all stored data about a person, as JSON. Network addresses of other people are omitted. */
import { Readable } from 'node:stream';
import type { Database } from '../../platform/database/database.ts';
import { openSnapshot, type Snapshot } from '../../platform/database/snapshot.ts';
import { invitationTable } from '../invitations/invitation-store.ts';
import { peopleTable } from '../people/people-store.ts';

/** Columns that concern the delivery of the invitation, not the person. */
const omittedInvitationColumns = {
  codeHash: false,
  codeVersion: false,
  emailCanonical: false,
  lifetimeDays: false,
  mailState: false,
  mailError: false,
  mailNumber: false,
  mailedAt: false,
  mailFailedAt: false,
  sentAgainAt: false,
  newLinkAt: false,
  remindedAt: false,
  redeemedBy: false,
  batchId: false,
} as const;

type Part = { name: string; isSingle?: true; text: string };

/** Parts in the order of the file, each a statement whose rows are written as JSON objects. `$1` is the person id. */
const parts: Part[] = [
  {
    name: 'person',
    isSingle: true,
    text: `select ${peopleTable.selectList({ emailCanonical: false, version: false, tokensValidAfter: 'signedOutUpTo' })}
           from people where id = $1`,
  },
  {
    name: 'identities',
    text: `select issuer, subject, way, email, email_verified as "emailVerified", created_at as "createdAt",
             last_sign_in_at as "lastSignInAt"
           from identities where person_id = $1 order by created_at, issuer`,
  },
  {
    name: 'passkeys',
    text: `select name, credential_id as "credentialId", rp_id as host, aaguid as make, transports,
             is_backed_up as "isSynced", created_at as "createdAt", last_used_at as "lastUsedAt"
           from passkeys where person_id = $1 order by created_at, id`,
  },
  {
    name: 'moves',
    text: `select way, created_at as "madeAt", expires_at as "expiresAt", mail, mail_error as "mailError",
             reminded_at as "remindedAt", opened_at as "openedAt", completed_at as "movedAt", canceled_at as "undoneAt"
           from identity_migrations where person_id = $1 order by created_at, id`,
  },
  {
    // Without the tokens of the provider, which are secrets.
    name: 'sessions',
    text: `select way, created_at as "createdAt", seen_at as "lastSeenAt", address, user_agent as "userAgent"
           from sessions where person_id = $1 order by created_at, id`,
  },
  {
    name: 'signIns',
    text: `select at, address, user_agent as "userAgent" from sign_ins where person_id = $1 order by at, id`,
  },
  {
    name: 'invitations',
    text: `select ${invitationTable.selectList(omittedInvitationColumns)} from invitations
           where id in (select target_id::uuid from audit_log where actor_id = $1 and action = 'invitation.redeemed')
             or email_canonical = (select email_canonical from people where id = $1)
           order by created_at, id`,
  },
  {
    name: 'directory',
    text: `select user_name as "userName", external_id as "externalId", email, display_name as "displayName",
             formatted_name as "formattedName", given_name as "givenName", family_name as "familyName", active,
             created_at as "createdAt", modified_at as "modifiedAt",
             array(select display_name from directory_members join directory_groups on id = group_id
                   where user_id = directory_users.id order by 1) as groups
           from directory_users where person_id = $1`,
  },
  {
    name: 'organizationDirectories',
    text: `select organizations.name as organization, user_name as "userName", external_id as "externalId", email,
             display_name as "displayName", formatted_name as "formattedName", given_name as "givenName",
             family_name as "familyName", active, listed.created_at as "createdAt", modified_at as "modifiedAt"
           from organization_directory_users listed join organizations on organizations.id = organization_id
           where person_id = $1 order by listed.created_at, listed.id`,
  },
  {
    name: 'organizations',
    text: `select organizations.name, slug, coalesce(organization_roles.name, role_id) as role, joined_at as "joinedAt", added_by as "addedBy"
           from memberships join organizations on organizations.id = organization_id
             join organization_roles on organization_roles.id = role_id
           where person_id = $1 order by joined_at, slug`,
  },
  {
    name: 'requestsToJoin',
    text: `select organizations.name as organization, request.status, requested_at as "requestedAt", decided_at as "decidedAt"
           from membership_requests request join organizations on organizations.id = organization_id
           where email_canonical = (select email_canonical from people where id = $1) order by requested_at, slug`,
  },
  {
    name: 'accessTokens',
    text: `select name, scopes, created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt",
             last_used_at as "lastUsedAt", last_address as "lastAddress"
           from personal_tokens where person_id = $1 order by created_at, id`,
  },
  {
    name: 'views',
    text: `select grid, name, shared, state::json as state, updated_at as "updatedAt"
           from grid_views where owner_id = $1 order by grid, name`,
  },
  {
    name: 'lists',
    text: `select grid, state::json as state from grid_states where person_id = $1 order by grid`,
  },
  {
    // Includes deleted files that can still be restored.
    name: 'files',
    text: `select id, name, type, size, encode(sha256, 'hex') as sha256, sharing, shared_count as "sharedWith", status,
             created_at as "createdAt", deleted_at as "deletedAt"
           from attachments where owner_id = $1 and record_id is null order by created_at, id`,
  },
  {
    name: 'unfinishedUploads',
    text: `select name, declared_type as type, size, received, created_at as "createdAt", touched_at as "touchedAt"
           from attachment_uploads where owner_id = $1 order by created_at, id`,
  },
  {
    name: 'filesSharedWithMe',
    text: `select id, name, owner_name as owner, shared_at as "sharedAt"
           from attachment_shares join kept_attachments on id = attachment_id
           where person_id = $1 order by shared_at, id`,
  },
  {
    name: 'activity',
    text: `select at, action, actor_label as actor, target_type as "targetType", target_label as target, detail,
             case when actor_id = $1 then address end as address
           from (select * from audit_log where actor_id = $1
                 union select * from audit_log where target_type = 'person' and target_id = $1::text) entry
           order by id`,
  },
];

/** Starts reading. Throws if the database is unreachable; a later failure truncates the response. */
export async function createMyData(
  database: Database,
  personId: string,
  at: Date,
  ofExtensions: readonly Part[],
): Promise<Readable> {
  const snapshot = await openSnapshot(database);
  const body = Readable.from(writeJson(snapshot, personId, at, [...parts, ...ofExtensions]), {
    highWaterMark: 16,
    objectMode: true,
  });
  // Also emitted if the stream was never read.
  body.once('close', () => void snapshot.close());
  return body;
}

async function* writeJson(
  snapshot: Snapshot,
  personId: string,
  at: Date,
  all: readonly Part[],
): AsyncGenerator<string> {
  yield `{\n"writtenAt": ${JSON.stringify(at)}`;
  for (const { name, isSingle, text } of all) {
    yield `,\n${JSON.stringify(name)}: ${isSingle ? '' : '['}`;
    // `to_jsonb` would reject characters that the state from browsers may contain.
    const statement = `select to_json(part) from (${text}) part`;
    let separator = isSingle ? '' : '\n  ';
    for await (const rows of snapshot.batches({ text: statement, values: [personId] })) {
      yield separator + rows.map(([row]) => JSON.stringify(row)).join(',\n  ');
      separator = ',\n  ';
    }
    yield isSingle ? '' : ']';
  }
  yield '\n}\n';
}
