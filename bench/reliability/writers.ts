/** Writers that create invitations continuously and record confirmed ones, and the comparison of this record with the database. */
import { setTimeout as delay } from 'node:timers/promises';
import { invite } from '@vestibule/contract/invitations';
import type { Site } from '../harness/site.ts';
import { failures, type Figure } from '../report.ts';

export const writers = 32;
/** Longer than the queue needs to take over the mails of a killed process (heartbeat and polling interval). */
export const mailTimeoutMs = 150_000;

export function startWriters(site: Site, run: string, atMost = Infinity) {
  const confirmed = new Set<string>();
  const unexpected: string[] = [];
  const stopping = new AbortController();
  let slowest = 0;
  let requested = 0;
  async function write(writer: number): Promise<void> {
    for (let number = 0; !stopping.signal.aborted && requested < atMost; number += 1) {
      requested += 1;
      const email = `${run}.${writer}.${number}@example.com`;
      // Retries after an unknown outcome; "already invited" then means that the first attempt succeeded.
      for (let settled = false, tried = 0; !settled && !stopping.signal.aborted; tried += 1) {
        const startedAt = performance.now();
        const status = await sendInvitation(site, email);
        slowest = Math.max(slowest, performance.now() - startedAt);
        settled = status === 200 || (status === 409 && tried > 0);
        if (settled) confirmed.add(email);
        else if (status === 503 || status === 'no answer') await delay(20);
        else unexpected.push(`${status}`);
      }
    }
  }
  const all = Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  return {
    confirmed,
    unexpected,
    slowest: () => slowest,
    all,
    async stop() {
      stopping.abort();
      await all;
    },
  };
}

async function sendInvitation(site: Site, email: string): Promise<number | 'no answer'> {
  try {
    const response = await fetch(`${site.urls[0]}${invite.path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${site.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ email }),
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 'no answer';
  }
}

/**
 * Compares confirmed invitations with the database. Counts the invitations that are lost, incomplete, duplicate or without a mail.
 * Needs a running server to deliver mails.
 */
export async function compare(
  site: Site,
  under: string,
  run: string,
  load: ReturnType<typeof startWriters>,
  withinMs = mailTimeoutMs,
): Promise<Figure[]> {
  const { confirmed, unexpected } = load;
  const { rows } = await site.database.query<{ email: string; audited: number; jobs: number }>(
    `select email,
            (select count(*)::int from audit_log where action = 'invitation.created' and target_id = invitations.id::text) as audited,
            (select count(*)::int from jobs.job where name = 'mail' and data ->> 'subjectId' = invitations.id || '/1') as jobs
     from invitations where email like $1`,
    [`${run}.%`],
  );
  const stored = new Map(rows.map((row) => [row.email, row]));
  const waiting = () => [...stored.keys()].filter((email) => site.mails.mailsTo(email) === 0);
  const deadline = performance.now() + withinMs;
  while (waiting().length > 0 && performance.now() < deadline) await delay(200);
  return [
    failures(
      `${under}, ${confirmed.size} invitations confirmed: lost`,
      [...confirmed].filter((email) => !stored.has(email)).length,
    ),
    failures(
      '… without audit entry or mail job',
      rows.filter(({ audited, jobs }) => audited !== 1 || jobs !== 1).length,
    ),
    failures('… twice', rows.length - stored.size),
    failures('… whose mail never arrives', waiting().length),
    failures(
      '… with two different mails',
      [...stored.keys()].filter((email) => site.mails.mailsTo(email) > 1).length,
    ),
    failures('… answers that are neither success nor 503', unexpected.length),
  ];
}
