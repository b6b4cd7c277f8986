import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { canonicalEmail } from './email-address.ts';
import { unmatchableHash, type Passwords } from './passwords.ts';

/** A local account. `id` is its object id. */
export type Account = {
  id: string;
  email: string;
  displayName: string;
  /** `sub` of the hint used at sign-up; null for accounts from the configuration. */
  invitationId: string | null;
};

/** Values of a sign-up. Both ids come from the hint; each creates one account at most. */
type NewAccount = {
  email: string;
  displayName: string;
  password: string;
  invitationId?: string;
  hintId?: string | undefined;
};

export type Accounts = ReturnType<typeof openAccounts>;

/** `now` returns milliseconds. */
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

    /** Returns the account if the password matches. Takes equally long for an unknown address. */
    async authenticate(email: string, password: string): Promise<Account | undefined> {
      const row = hashOf.get(canonicalEmail(email)) as { hash: string } | undefined;
      const matches = await passwords.verify(password, row?.hash ?? unmatchableHash);
      return matches && row ? this.findByEmail(email) : undefined;
    },

    /** Returns undefined if the address or one of the hint's ids already has an account. */
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

    /** Returns whether a hint with this `sub` or `jti` was used for a sign-up. */
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
