/** Local accounts, their addresses and their passwords. */
import { randomBytes, randomUUID, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Account, Store } from './store.ts';

type NewAccount = Pick<Account, 'email' | 'displayName'> & {
  password: string;
  invitationId?: string;
  hintId?: string | undefined;
};

/** `cost` is scrypt's N. Hashes of one cost do not verify with another. The default takes about 32 MB and 60 ms. */
export function openAccounts(store: Store, cost = 2 ** 15) {
  const find = (matches: (account: Account) => boolean) => store.accounts.values().find(matches);
  const findByEmail = (email: string) => {
    const key = canonicalEmail(email);
    return find(({ emailKey }) => emailKey === key);
  };
  const isRedeemed = (invitationId: string, hintId: string | null) =>
    find(
      (account) => account.invitationId === invitationId || (hintId !== null && account.hintId === hintId),
    ) !== undefined;

  return {
    find: (id: string) => store.accounts.get(id),
    findByEmail,
    /** Returns whether a hint with this `sub` or `jti` was used for a sign-up. */
    isRedeemed: (invitationId: string, hintId?: string) => isRedeemed(invitationId, hintId ?? null),

    /** Returns the account if the password matches. */
    async authenticate(email: string, password: string): Promise<Account | undefined> {
      const account = findByEmail(email);
      return account && (await verifyPassword(password, account.passwordHash, cost)) ? account : undefined;
    },

    /** Returns undefined if the address or one of the hint's ids already has an account. */
    async create({ email, displayName, password, ...hint }: NewAccount): Promise<Account | undefined> {
      const passwordHash = await hashPassword(password, cost);
      const { invitationId = null, hintId = null } = hint;
      if (findByEmail(email) || (invitationId !== null && isRedeemed(invitationId, hintId))) return undefined;
      const id = randomUUID();
      const emailKey = canonicalEmail(email);
      const account = { id, email, emailKey, displayName, passwordHash, invitationId, hintId };
      store.accounts.set(id, account);
      store.changed();
      return account;
    },

    async setPassword(account: Account, password: string): Promise<void> {
      account.passwordHash = await hashPassword(password, cost);
      store.changed();
    },
  };
}

/** RFC 5321, section 4.5.3.1. */
export const emailMaximumLength = 254;

/** Returns whether a text is one plain e-mail address, without quoting or comments. */
export function isEmailAddress(text: string): boolean {
  if (text.length > emailMaximumLength) return false;
  return /^[^\s@"<>()[\]\\,;:\p{C}]{1,64}@[^\s@"<>()[\]\\,;:\p{C}.]+(\.[^\s@"<>()[\]\\,;:\p{C}.]+)*$/u.test(
    text,
  );
}

/**
 * Returns the lookup key of an address. Only ASCII letters are lower-cased: `toLowerCase` would map the
 * Kelvin sign (U+212A) to `k` and so match another user's address.
 */
export function canonicalEmail(email: string): string {
  return email.trim().replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** B2C's "strong" rule: 8 to 64 characters with three of lower case, upper case, digit and symbol. */
export function isStrongPassword(password: string): boolean {
  const classes = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^a-zA-Z0-9]/].filter((pattern) => pattern.test(password));
  return password.length >= 8 && password.length <= 64 && classes.length >= 3;
}

const keyBytes = 32;

async function hashPassword(password: string, cost: number): Promise<string> {
  const salt = randomBytes(16);
  const key = await deriveKey(password, salt, cost);
  return `scrypt$${salt.toString('base64url')}$${key.toString('base64url')}`;
}

async function verifyPassword(password: string, hash: string, cost: number): Promise<boolean> {
  const [, salt = '', key = ''] = hash.split('$');
  const expected = Buffer.from(key, 'base64url');
  return timingSafeEqual(expected, await deriveKey(password, Buffer.from(salt, 'base64url'), cost));
}

const scryptAsync = promisify<string, Buffer, number, object, Buffer>(scrypt);

function deriveKey(password: string, salt: Buffer, N: number): Promise<Buffer> {
  return scryptAsync(password.normalize('NFC'), salt, keyBytes, { N, r: 8, p: 1, maxmem: 2048 * N });
}
