/** Races through two processes: 64 identities, and 64 requests of one identity, redeem one invitation. */
import { insertInvitation, type Site } from '../harness/site.ts';
import { failures, type Figure } from '../report.ts';

const concurrency = 64;

/**
 * 64 identities with the invited address redeem one invitation: exactly one succeeds. Then 64 requests of one identity: all
 * succeed as the same person.
 */
export async function raceRedemptions(site: Site, times: number): Promise<Figure[]> {
  const servers = [await site.start(0), await site.start(1)];
  let wrong = 0;
  let other = 0;
  let differing = 0;
  for (let round = 0; round < times; round += 1) {
    const identities = await redeemAtOnce(
      site,
      `identities.${round}@example.com`,
      (index) => `identity ${round}.${index}`,
    );
    if (identities.filter(({ status }) => status === 200).length !== 1) wrong += 1;
    other += identities.filter(({ status }) => status !== 200 && status !== 403).length;
    const requests = await redeemAtOnce(site, `requests.${round}@example.com`, () => `requests ${round}`);
    if (
      new Set(requests.map(({ status, id }) => `${status} ${id}`)).size !== 1 ||
      requests[0]?.status !== 200
    )
      differing += 1;
  }
  const { rows } = await site.database.query<{ people: number; audited: number; redeemed: number }>(
    `select (select count(*)::int from people where email = i.email) as people,
            (select count(*)::int from audit_log where action = 'invitation.redeemed' and target_id = i.id::text) as audited,
            (select count(*)::int from people where id = i.redeemed_by) as redeemed
     from invitations i where email like 'identities.%' or email like 'requests.%'`,
  );
  await Promise.all(servers.map((server) => server.stop()));
  const half = rows.filter(
    ({ people, audited, redeemed }) => people !== 1 || audited !== 1 || redeemed !== 1,
  );
  return [
    failures(
      `${times} invitations redeemed by ${concurrency} identities at once, through two processes: not exactly one success`,
      wrong,
    ),
    failures('… answers that are neither success nor 403', other),
    failures(`… and by ${concurrency} requests of one identity: not all the same person`, differing),
    failures('… without exactly one person, one redemption and one audit entry', half.length),
  ];
}

async function redeemAtOnce(site: Site, email: string, subject: (index: number) => string) {
  const id = await insertInvitation(site, email);
  const tokens = await Promise.all(
    Array.from({ length: concurrency }, (_, index) =>
      site.provider.issueToken({ sub: subject(index), emails: [email], invitationId: id }),
    ),
  );
  return Promise.all(
    tokens.map(async (token, index) => {
      const answer = await fetch(`${site.urls[index % 2]}/api/users/me`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const { Id } = (await answer.json()) as { Id?: string };
      return { status: answer.status, id: Id };
    }),
  );
}
