/**
 * What no log and no table may hold after all that the journeys did: codes of invitations, tokens of any kind, tickets of
 * files (security 27). It looks for their forms, so that nothing has to be collected on the way and a new kind is found too.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { openSealedKey } from '../../apps/server/src/platform/config/site-key.ts';
import { createShortCodes } from '../../apps/server/src/features/invitations/link/short-code.ts';

const forms = {
  'a JWT': /eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/g,
  'a personal access token': /\bvst_[0-9A-Za-z]{43}\b/g,
};
/** 256 bits or more in base64url: authorization codes, refresh tokens, cookies, tickets. Hashes in hex are none. */
const longSecret = /(?<![\w+/=.-])(?=[\w-]*[A-Z])(?=[\w-]*[a-z])[\w-]{43,}(?![\w+/=.-])/g;

type Query = (text: string) => Promise<Record<string, unknown>[]>;

/** Says where which kind of secret stands; empty when none does. Without a database, because a journey ended it, of the log alone. */
export async function findLeakedSecrets(log: string, dataDirectory: string, query: Query): Promise<string[]> {
  // The first administrator's link is printed on purpose.
  const places = new Map([['the log', log.replaceAll(/^First administrator: .*$/gm, '')]]);
  const isThere = await query('select 1').then(
    () => true,
    () => false,
  );
  const codes = isThere ? await readAll(dataDirectory, query, places) : [];
  const found: string[] = [];
  for (const [place, content] of places) {
    for (const [kind, form] of Object.entries(forms))
      for (const [secret] of content.matchAll(form)) found.push(`${place} holds ${kind}: ${secret}`);
    for (const code of codes)
      if (content.includes(code)) found.push(`${place} holds the code of an invitation: ${code}`);
  }
  for (const [secret] of (places.get('the log') ?? '').matchAll(longSecret))
    found.push(`the log holds what looks like a secret: ${secret}`);
  return found;
}

/** Puts every table into `places` and gives the codes of all invitations, also those that others have replaced. */
async function readAll(dataDirectory: string, query: Query, places: Map<string, string>): Promise<string[]> {
  const tables = await query(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_schema in ('public', 'jobs') and table_type = 'BASE TABLE'`,
  );
  for (const { name } of tables)
    places.set(
      String(name),
      (await query(`select t::text as row from ${String(name)} t`)).map(({ row }) => row).join('\n'),
    );
  const secretFile = path.join(dataDirectory, 'secret');
  if (!existsSync(secretFile)) return [];
  const [site] = await query(
    `select encode(sealed_key, 'base64') as key from server_identity order by number desc limit 1`,
  );
  const current = Buffer.from(readFileSync(secretFile, 'utf8').trim());
  const key = openSealedKey((site?.['key'] as string | null | undefined) ?? null, {
    current,
    previous: null,
  });
  if (key === null) throw new Error(`${secretFile} does not open the key of the site`);
  const { codeOf } = createShortCodes(key);
  const invitations = await query('select id, code_version as version from invitations');
  return invitations.flatMap(({ id, version }) =>
    Array.from({ length: Number(version) + 1 }, (_, older) => codeOf(String(id), older)),
  );
}
