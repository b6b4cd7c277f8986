/**
 * Records logouts at providers, so that a sign-in that is pending during one, such as in the redirect or before an e-mailed code, starts
 * no session.
 */
import { rowsOf, type Database } from '../../../platform/database/database.ts';

/** Longer than any sign-in: ten minutes at the provider, and ten after each of five mailed codes. */
const retentionMs = 75 * 60_000;

export type LogoutToken = {
  issuer: string;
  sub: string | null;
  sid: string | null;
  jti: string;
  /** By the provider's clock. */
  issuedAt: Date;
  endsAt: Date;
};

type Answer = { issuer: string; subject: string; sid: string | null } & AuthorizationTimes;

export type AuthorizationTimes = {
  /** Start of the authorization request by our clock, in ms. */
  askedAt: number;
  /** `auth_time`: authentication by the provider's clock, in seconds; null if the provider omits it. */
  authTime: number | null;
};

/** Issuers have no fragment (OpenID Connect Discovery, section 3), so these rows do not collide with accepted logout tokens. */
const endedIssuerOf = (issuer: string) => `${issuer}#ended`;
const noSid = '';
const key = (sid: string | null, sub: string | null) => JSON.stringify([sid, sub]);

/**
 * Records the end of the session `sid` and of the person's sessions without a `sid`; if the token has no `sid`, of all
 * sessions of the person. A replayed token changes nothing.
 */
export async function recordEndedSession(
  database: Database,
  { issuer, sid, sub, jti, issuedAt }: LogoutToken,
  at: number,
): Promise<void> {
  const keys = [key(sid, sub), ...(sid !== null && sub !== null ? [key(noSid, sub)] : [])];
  await database.query({
    text: `insert into logout_token_ids (issuer, jti, ends_at, issued_at) select $1, unnest($2::text[]), $3, $6
           where not exists (select from logout_token_ids where issuer = $4 and jti = $5)
           on conflict (issuer, jti) do update set ends_at = greatest(logout_token_ids.ends_at, excluded.ends_at),
             issued_at = greatest(logout_token_ids.issued_at, excluded.issued_at)`,
    values: [endedIssuerOf(issuer), keys, new Date(at + retentionMs), issuer, jti, issuedAt],
  });
}

/**
 * Returns whether a logout since the start of the authorization request ends the sign-in. A logout of a named session
 * always does. A logout of the person does not if the user authenticated in the same second or later, because some
 * providers end the old session on reauthentication.
 */
export async function isEndedSince(database: Database, answer: Answer): Promise<boolean> {
  const { issuer, subject, sid, askedAt, authTime } = answer;
  // An e-mail verification that an earlier version stored has no `askedAt`.
  if (!Number.isFinite(askedAt)) return false;
  const rows = await rowsOf(database, {
    name: 'find-ended-at-provider',
    text: `select from logout_token_ids where issuer = $1 and jti = any($2) and ends_at >= $3
             and (jti = any($4) and issued_at <= $5) is not true limit 1`,
    values: [
      endedIssuerOf(issuer),
      [key(null, subject), key(sid ?? noSid, subject), ...(sid === null ? [] : [key(sid, null)])],
      new Date(askedAt + retentionMs),
      [key(null, subject), key(noSid, subject)],
      typeof authTime === 'number' ? new Date(authTime * 1000) : null,
    ],
  });
  return rows.length > 0;
}
