import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** Secrets (codes, refresh tokens, cookies) are stored as SHA-256 hashes. Times are milliseconds. */
const schema = `
  create table if not exists accounts (
    id text primary key, email text not null, email_key text not null unique, display_name text not null,
    password_hash text not null, invitation_id text unique, hint_id text unique, created_at integer not null
  ) strict;
  create table if not exists sessions (
    browser_hash text not null, account_id text not null references accounts, auth_time integer not null,
    expires_at integer not null, primary key (browser_hash, account_id)
  ) strict;
  create table if not exists grants (
    id text primary key, account_id text not null references accounts, client_id text not null,
    policy text not null, scope text not null, auth_time integer not null, new_user integer not null,
    created_at integer not null, expires_at integer not null, revoked_at integer
  ) strict;
  create index if not exists grants_of_account on grants (account_id);
  create table if not exists authorization_codes (
    code_hash text primary key, grant_id text not null references grants on delete cascade,
    redirect_uri text not null, code_challenge text not null, nonce text,
    created_at integer not null, expires_at integer not null, used_at integer
  ) strict;
  create index if not exists codes_of_grant on authorization_codes (grant_id);
  create table if not exists refresh_tokens (
    token_hash text primary key, grant_id text not null references grants on delete cascade,
    created_at integer not null, used_at integer
  ) strict;
  create index if not exists refresh_tokens_of_grant on refresh_tokens (grant_id);
  create table if not exists signing_keys (kid text primary key, private_jwk text not null) strict;
`;

/** Opens the database, readable by its owner only, and creates missing tables. */
export function openDatabase(file: string): DatabaseSync {
  if (file !== ':memory:') makePrivate(file);
  const database = new DatabaseSync(file);
  database.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on;');
  database.exec(schema);
  return database;
}

/**
 * The file contains the signing key and password hashes. SQLite copies its mode to the -wal and -shm files.
 */
function makePrivate(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
  for (const one of [file, `${file}-wal`, `${file}-shm`]) if (existsSync(one)) chmodSync(one, 0o600);
}

/** Returns 256 random bits in base64url. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}
