import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { canonicalEmail } from './email-address.ts';
import { unmatchableHash, type Passwords } from './passwords.ts';

/** A local account; `id` is its object id. */
export type Account = {
  id: string;
  email: string;
  displayName: string;
  /** The `sub` of the hint it was signed up with; null for accounts that came with the configuration. */
  invitationId: string | null;
};

/** What a sign-up knows; the two ids come from the hint and each makes one account at most. */
type NewAccount = {
  email: string;
  displayName: string;
  password: string;
  invitationId?: string;
  hintId?: string | undefined;
};

/** The accounts of the tenant. */
export type Accounts = ReturnType<typeof openAccounts>;

/** The account store on an open database; `now` in milliseconds. */
export function openAccounts(database: DatabaseSync, now: () => number, passwords: Passwords) {
  const columns = 'id, email, display_name as displayName, invitation_id as invitationId';
  const byId = database.prepare(`select ${columns} from accounts where id = ?`);
  const byEmail = database.prepare(`select ${columns} from accounts where email_key = ?`);
  const hashOf = database.prepare('select password_hash as hash from accounts where email_key = ?');
  const redeemed = database.prepare('select 1 from accounts where invitation_id = ? or hint_id = ?');
  const insert = database.prepare(
    `insert into accounts (id, email, email_key, display_name, password_hash, invitation_id, hint_id, created_at)
     values (:id, :email, :key, :displayName, :hash, :invitationId, :hintId, :at) on conflict do nothing returning ${columns}`,
  );
  const updatePassword = database.prepare('update accounts set password_hash = ? where id = ?');
  const updateName = database.prepare('update accounts set display_name = ? where id = ?');

  return {
    find: (id: string) => byId.get(id) as Account | undefined,
    findByEmail: (email: string) => byEmail.get(canonicalEmail(email)) as Account | undefined,

    /** The account whose address and password these are. Takes as long for an unknown address. */
    async authenticate(email: string, password: string): Promise<Account | undefined> {
      const row = hashOf.get(canonicalEmail(email)) as { hash: string } | undefined;
      const matches = await passwords.verify(password, row?.hash ?? unmatchableHash);
      return matches && row ? this.findByEmail(email) : undefined;
    },

    /** Undefined when the address or one of the hint's ids already has an account. */
    async create({
      email,
      displayName,
      password,
      invitationId,
      hintId,
    }: NewAccount): Promise<Account | undefined> {
      return insert.get({
        id: randomUUID(),
        email,
        key: canonicalEmail(email),
        displayName,
        hash: await passwords.hash(password),
        invitationId: invitationId ?? null,
        hintId: hintId ?? null,
        at: now(),
      }) as Account | undefined;
    },

    /** Whether a hint with this `sub` or `jti` has already completed a sign-up. */
    isRedeemed: (invitationId: string, hintId: string | undefined) =>
      redeemed.get(invitationId, hintId ?? null) !== undefined,

    async setPassword(id: string, password: string): Promise<void> {
      updatePassword.run(await passwords.hash(password), id);
    },

    setDisplayName(id: string, displayName: string): void {
      updateName.run(displayName, id);
    },
  };
}
