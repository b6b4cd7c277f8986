/** At most one invitation to an address is pending, in any order of events (statement P4; security 65). */
import {
  actOnInvitations,
  changeInvitationAddress,
  invite,
  renewInvitation,
  revokeInvitation,
} from '@vestibule/contract/invitations';
import { getMe } from '@vestibule/contract/profile/me';
import { requestNewLink } from '@vestibule/contract/invitations/link';
import { removePerson } from '@vestibule/contract/people';
import { expect, test } from 'vitest';
import { createTestApp } from '../../../test/test-app.ts';
import { waitForLocks } from '../../../test/database/test-faults.ts';
import { createRandom } from '../../../test/test-random.ts';
import { createIdleWaiter } from '../../../test/database/test-idle-database.ts';
import { closeAfterTests } from '../../../test/test-close.ts';

const hour = 3600_000;

let token = '';
const { wrapDatabase, waitUntilIdle } = createIdleWaiter();
const t = closeAfterTests(
  await createTestApp({
    wrapDatabase,
  }),
);
const admin = await t.join('admin@example.com', 'admin');

let counter = 0;
const newAddress = () => `guest-${(counter += 1)}@example.com`;
const advanceHour = async () => {
  t.clock.advance(hour);
  token = await t.mint({ sub: admin.subject });
};
const callFor = (invitationId: string) => ({ token, params: { invitationId } });
const expire = (id: string) =>
  t.select("update invitations set expires_at = $2 where id = $1 and status = 'pending'", [
    id,
    new Date(t.clock.now()),
  ]);
const statusOf = async (id: string) =>
  (await t.select<{ status: string }>('select status from invitations where id = $1', [id]))[0]?.status;
/** Signs in, optionally with the invitation id from the provider. */
const signIn = async (email: string, invitationId?: string) =>
  t.call(getMe, { token: await t.mint({ sub: `subject of ${email}`, emails: [email], invitationId }) });
const remove = (personId: string) => t.call(removePerson, { token, params: { personId }, query: {} });
/** Requests a new link with each code of an invitation and waits for the result. */
async function requestNewLinks(id: string): Promise<void> {
  for (const version of [0, 1, 2])
    await t.call(requestNewLink, { body: { code: t.shortCodes.codeOf(id, version) } });
  await waitUntilIdle();
}

test('a removed person cannot rejoin with an earlier invitation, for example as an administrator', async () => {
  await advanceHour();
  const email = newAddress();
  const asAdmin = (await t.call(invite, { token, body: { email, role: 'admin' } })).body;
  await expire(asAdmin.id);
  await advanceHour();
  await t.call(invite, { token, body: { email } });
  const { body: person } = await signIn(email);
  expect(person).toMatchObject({ Email: email, IsAdmin: false });
  await remove(person.Id);

  await requestNewLinks(asAdmin.id);
  expect(await statusOf(asAdmin.id)).toBe('replaced');
  expect((await t.call(renewInvitation, { ...callFor(asAdmin.id), body: {} })).body.code).toBe(
    'invitation.replaced',
  );
  expect((await signIn(email, asAdmin.id)).body).toMatchObject({ code: 'person.not_invited' });

  // Only a new invitation lets the person join again.
  const renewed = (await t.call(invite, { token, body: { email } })).body;
  expect((await signIn(email, asAdmin.id)).body).toMatchObject({ Email: email, IsAdmin: false });
  expect([await statusOf(asAdmin.id), await statusOf(renewed.id)]).toEqual(['replaced', 'redeemed']);
});

test('a person who is invited while redeeming an earlier invitation gets no second one', async () => {
  await advanceHour();
  const email = newAddress();
  const { id } = (await t.call(invite, { token, body: { email } })).body;
  const other = (await t.call(invite, { token, body: { email: newAddress() } })).body;
  // The redemption has locked the invitation and waits to insert the person.
  const answers = await t.database.transaction(async (transaction) => {
    await transaction.query({ text: 'lock table people in share mode' });
    const signingIn = signIn(email, id);
    await waitForLocks(t, 1);
    const inviting = t.call(invite, { token, body: { email } });
    const moving = t.call(changeInvitationAddress, { ...callFor(other.id), body: { email } });
    await waitForLocks(t, 3);
    return [signingIn, inviting, moving];
  });
  expect(await Promise.all(answers)).toMatchObject([
    { body: { Email: email } },
    { body: { code: 'invitation.already_member' } },
    { body: { code: 'invitation.already_member' } },
  ]);
  expect([await statusOf(id), await statusOf(other.id)]).toEqual(['redeemed', 'pending']);
  const sent = await t.select('select from invitations where email = $1', [email]);
  expect(sent).toHaveLength(1);
});

/** Operations on an invitation or its address. Responses are only checked for server errors. */
type Operation = (about: { id: string; email: string }) => Promise<unknown>;
const operations: Record<string, Operation> = {
  expire: ({ id }) => expire(id),
  renew: async ({ id }) => {
    const single = await t.call(renewInvitation, { ...callFor(id), body: {} });
    const body = { action: 'renew' as const, selection: { ids: [id] } };
    return isServerError(single) ? single : t.call(actOnInvitations, { token, body });
  },
  'ask for a new link': ({ id }) => requestNewLinks(id),
  invite: ({ email }) => t.call(invite, { token, body: { email } }),
  'move another here': async ({ email }) => {
    const { id } = (await t.call(invite, { token, body: { email: newAddress() } })).body;
    return t.call(changeInvitationAddress, { ...callFor(id), body: { email } });
  },
  'move it away': ({ id }) =>
    t.call(changeInvitationAddress, { ...callFor(id), body: { email: newAddress() } }),
  redeem: ({ id, email }) => signIn(email, id),
  revoke: ({ id }) => t.call(revokeInvitation, callFor(id)),
  'remove the person': async ({ email }) => {
    const [person] = await t.select<{ id: string }>('select id from people where email = $1', [email]);
    return person && remove(person.id);
  },
};
const operationNames = Object.keys(operations);

type Row = { id: string; email: string; status: string; arrived: number };
type Person = { id: string; email: string };

/** Tracks the step at which invitations arrive and end, and checks the rule after each step. */
function createObserver() {
  const arrivals = new Map<string, { email: string; step: number }>();
  const ended = new Map<string, string>();
  let peopleBefore = new Map<string, Person>();
  let step = 0;
  return async (addresses: string[], what: string) => {
    step += 1;
    const rows = await t.select<Row>(
      `select id, email, status from invitations where email = any($1) or id = any($2)`,
      [addresses, [...arrivals.keys()]],
    );
    for (const { id, email, status } of rows) {
      if (arrivals.get(id)?.email !== email) arrivals.set(id, { email, step });
      expect(ended.get(id) ?? status, `${what}: what has ended has ended for good`).toBe(status);
      if (status !== 'pending') ended.set(id, status);
    }
    const people = await t.select<Person>('select id, email from people where email = any($1)', [addresses]);
    const removed = [...peopleBefore.values()].filter(({ id }) => !people.some((person) => person.id === id));
    peopleBefore = new Map(people.map((person) => [person.id, person]));
    for (const email of addresses) {
      const ofAddress = rows.filter((row) => row.email === email);
      const pending = ofAddress.filter(({ status }) => status === 'pending');
      expect(pending.length, `${what}: at most one invitation to ${email} is pending`).toBeLessThanOrEqual(1);
      const latestStep = Math.max(0, ...ofAddress.map(({ id }) => arrivals.get(id)?.step ?? 0));
      for (const { id } of pending) {
        expect(arrivals.get(id)?.step, `${what}: it is the last that came to ${email}`).toBe(latestStep);
        const earliestStep = removed.some((person) => person.email === email) ? step : 0;
        expect(latestStep, `${what}: it came after the person was removed`).toBeGreaterThanOrEqual(
          earliestStep,
        );
      }
    }
  };
}

const isServerError = (answer: unknown) => ((answer as { status?: number } | undefined)?.status ?? 0) >= 500;

test.each([1, 2, 3])(
  'at most one invitation is pending after each of 50 random steps, some concurrent (seed %i)',
  async (seed) => {
    const next = createRandom(seed);
    const random = (limit: number) => next() % limit;
    const addresses = [newAddress(), newAddress()];
    const observe = createObserver();
    for (let step = 1; step <= 50; step += 1) {
      await advanceHour();
      const email = addresses[random(2)] as string;
      const known = await t.select<{ id: string }>(
        'select id from invitations where email = $1 order by id',
        [email],
      );
      const chosen = Array.from({ length: random(3) === 0 ? 3 : 1 }, () => ({
        name: known.length === 0 ? 'invite' : (operationNames[random(operationNames.length)] as string),
        id: known[random(Math.max(1, known.length))]?.id ?? '',
      }));
      const answers = await Promise.all(
        chosen.map(({ name, id }) => (operations[name] as Operation)({ id, email })),
      );
      const what = `step ${step}, ${chosen.map(({ name }) => name).join(' with ')}`;
      expect(
        answers.filter(isServerError),
        `${what} ${t.log.findLast((line) => line.includes('"err"'))}`,
      ).toEqual([]);
      await observe(addresses, what);
    }
  },
  60_000,
);

test('the random steps cover every status', async () => {
  const rows = await t.select<{ status: string }>('select distinct status from invitations order by 1');
  expect(rows.map(({ status }) => status)).toEqual(['pending', 'redeemed', 'replaced', 'revoked']);
});
