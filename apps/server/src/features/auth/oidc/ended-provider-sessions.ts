/**
 * What providers have ended while a sign-in was on its way: somebody waits for a code, or an answer is being read. No session is there
 * yet that could end, so it is remembered, and none begins with an answer from before.
 */
import { rowsOf, type Database } from '../../../platform/database/database.ts';

/** Longer than any sign-in lasts: ten minutes at the provider, and ten after each of five mailed codes. */
const keptMs = 75 * 60_000;

export type LogoutToken = {
  issuer: string;
  sub: string | null;
  sid: string | null;
  jti: string;
  /** By the provider's clock. */
  issuedAt: Date;
  endsAt: Date;
};

type Answer = { issuer: string; subject: string; sid: string | null } & AuthorizationPurpose;

/** What an answer keeps of its moments, until a session begins with it. */
export type AuthorizationPurpose = {
  /** When the browser set out to the provider, by our clock. */
  askedAt: number;
  /** When they signed in there, by its clock in seconds; null where it does not tell. */
  authTime: number | null;
};

/** Kept among the tokens that were taken, under a name that is no issuer's: none has a fragment (OpenID Connect Discovery, section 3). */
const nameOf = (issuer: string) => `${issuer}#ended`;
const noSid = '';
const key = (sid: string | null, sub: string | null) => JSON.stringify([sid, sub]);

/** A session's; those of a person that have no id; or all of a person. A token that was taken before changes nothing. */
export async function noteEnded(
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
    values: [nameOf(issuer), keys, new Date(at + keptMs), issuer, jti, issuedAt],
  });
}

/**
 * Whether it was ended since the browser set out for it. What ends a person's sign-ins does not mean one after it: a provider that asks
 * somebody again may end what they had, in that very second. Only `auth_time` tells; an id token is also issued for whoever signed in
 * long ago. A session of the provider's that is named is over for good, and so is what says that it is of it.
 */
export async function isEndedSince(database: Database, answer: Answer): Promise<boolean> {
  const { issuer, subject, sid, askedAt, authTime } = answer;
  // Who waits for a code since before an update: nothing was kept of when.
  if (!Number.isFinite(askedAt)) return false;
  const rows = await rowsOf(database, {
    name: 'find-ended-at-provider',
    text: `select from logout_token_ids where issuer = $1 and jti = any($2) and ends_at >= $3
             and (jti = any($4) and issued_at <= $5) is not true limit 1`,
    values: [
      nameOf(issuer),
      [key(null, subject), key(sid ?? noSid, subject), ...(sid === null ? [] : [key(sid, null)])],
      new Date(askedAt + keptMs),
      [key(null, subject), key(noSid, subject)],
      typeof authTime === 'number' ? new Date(authTime * 1000) : null,
    ],
  });
  return rows.length > 0;
}
