/** Compares response times for an unknown code and for a code with one changed character (security 16). */
import { randomInt } from 'node:crypto';
import { getInviteToken } from '@vestibule/contract/invitations/link';
import { readSiteKey } from '../../apps/server/src/platform/config/site-key.ts';
import { createShortCodes } from '../../apps/server/src/features/invitations/link/short-code.ts';
import { median, type Figure } from '../report/figure.ts';
import { insertInvitation, secret, type Site } from './site.ts';

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const character = () => alphabet[randomInt(alphabet.length)] as string;

/** Sends pairs in alternating order, so that load on the machine affects both kinds equally. */
export async function compareAnswerTimes(site: Site, times: number): Promise<Figure[]> {
  const server = await site.start(0);
  const id = await insertInvitation(site, 'timing@example.com');
  const { codeOf, hashOf } = createShortCodes(
    await readSiteKey(site.database, { current: Buffer.from(secret), previous: null }),
  );
  const code = codeOf(id);
  await site.database.query('update invitations set code_hash = $2 where id = $1', [id, hashOf(code)]);
  const took = { unknown: [] as number[], altered: [] as number[] };
  const pairs = times * 500;
  for (let pair = -200; pair < pairs; pair += 1) {
    const at = randomInt(code.length);
    const altered = code.slice(0, at) + (code[at] === '2' ? '3' : '2') + code.slice(at + 1);
    const unknown = Array.from({ length: code.length }, character).join('');
    const kinds = [
      ['unknown', unknown],
      ['altered', altered],
    ] as const;
    for (const [kind, wrong] of pair % 2 === 0 ? kinds : kinds.toReversed()) {
      const milliseconds = await exchange(site, wrong, pair);
      // The first 200 pairs are warm-up.
      if (pair >= 0) took[kind].push(milliseconds);
    }
  }
  await server.stop();
  const [unknown, altered] = [median(took.unknown), median(took.altered)];
  return [
    {
      name: `median answer to an unknown code and to one altered character (${unknown.toFixed(2)} and ${altered.toFixed(2)} ms over ${pairs} pairs), apart`,
      measured: (Math.abs(unknown - altered) / unknown) * 100,
      unit: '%',
      limit: { at: 'most', value: 5 },
    },
  ];
}

/** Returns the response time in ms. Each request has another client address: wrong codes are rate-limited by address. */
async function exchange(site: Site, code: string, pair: number): Promise<number> {
  const startedAt = performance.now();
  const answer = await fetch(site.urls[0] + getInviteToken.path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-forwarded-for': `10.${(pair >> 16) & 255}.${(pair >> 8) & 255}.${pair & 255}`,
    },
    body: JSON.stringify({ code }),
  });
  const { ErrorMessage } = (await answer.json()) as { ErrorMessage?: string };
  if (ErrorMessage !== 'Invalid') throw new Error(`${answer.status}: ${ErrorMessage}`);
  return performance.now() - startedAt;
}
