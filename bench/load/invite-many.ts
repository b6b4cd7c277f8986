/** Measures a batch of 10,000 invitations: the dry run, and creation with audit rows and mail jobs in one transaction. */
import { randomBytes } from 'node:crypto';
import { checkInvitations, createBatch, type Batch } from '@vestibule/contract/invitations/batches';
import type { Figure } from '../report/figure.ts';
import { isTrial } from '../report/options.ts';
import { runOnBenchSite, type BenchSite } from '../harness/bench-site.ts';

const rows = isTrial ? 500 : 10_000;
const rounds = isTrial ? 1 : 3;

export async function measureInviteMany({ url, tokens, database }: BenchSite): Promise<Figure[]> {
  const checkMs: number[] = [];
  const batchMs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const run = randomBytes(4).toString('hex');
    const body = {
      rows: Array.from({ length: rows }, (_, number) => ({
        email: `listed.${run}.${number}@example.com`,
        name: `Listed Person ${number}`,
      })),
      message: 'Welcome.',
    };
    checkMs.push((await send(url + checkInvitations.path, tokens[0], body)).milliseconds);
    const sent = await send(url + createBatch.path, tokens[0], body, { 'idempotency-key': run });
    batchMs.push(sent.milliseconds);

    const { id, counts } = sent.answer as Batch;
    const { rows: storedRows } = await database.query<{
      invitations: number;
      audited: number;
      mails: number;
    }>(
      `select count(*)::int as invitations,
              count(*) filter (where exists (select from audit_log
                where action = 'invitation.created' and target_type = 'invitation' and target_id = invitations.id::text))::int as audited,
              (select count(*)::int from jobs.job where name = 'mail'
                and data ->> 'subjectId' in (select id || '/1' from invitations where batch_id = $1)) as mails
       from invitations where batch_id = $1`,
      [id],
    );
    const stored = storedRows[0];
    if (
      counts.created !== rows ||
      stored?.invitations !== rows ||
      stored.audited !== rows ||
      stored.mails !== rows
    )
      throw new Error(`a batch of ${rows} made ${JSON.stringify({ counts, stored })}`);
  }
  const medianSeconds = (all: number[]) =>
    (all.toSorted((one, other) => one - other)[rounds >> 1] ?? 0) / 1000;
  const size = rows.toLocaleString('en-US');
  return [
    {
      name: `dry run of a list of ${size}, median of ${rounds}`,
      measured: medianSeconds(checkMs),
      unit: 's',
      limit: { at: 'most', value: 2 },
    },
    {
      name: `invite a list of ${size}, mails queued, median of ${rounds}`,
      measured: medianSeconds(batchMs),
      unit: 's',
      limit: { at: 'most', value: 10 },
    },
  ];
}

async function send(
  address: string,
  token: string | undefined,
  body: object,
  headers: Record<string, string> = {},
) {
  const startedAt = performance.now();
  const response = await fetch(address, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${address} answered ${response.status}: ${text}`);
  return { milliseconds: performance.now() - startedAt, answer: JSON.parse(text) as unknown };
}

if (import.meta.main) await runOnBenchSite(measureInviteMany);
