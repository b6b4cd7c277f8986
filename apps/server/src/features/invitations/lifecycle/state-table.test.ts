/** Checks every cell of the table in docs/invitation-lifecycle.md (statement P4; security 65). */
import { undoBatch } from '@vestibule/contract/invitations/batches';
import {
  changeInvitationAddress,
  getInvitation,
  getInvitationLink,
  invite,
  renewInvitation,
  resendInvitation,
  revokeInvitation,
} from '@vestibule/contract/invitations';
import { getInviteToken, requestNewLink } from '@vestibule/contract/invitations/link';
import { removePerson } from '@vestibule/contract/people';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { newId } from '../../../platform/database/new-id.ts';
import { createTestApp } from '../../../test/test-app.ts';
import { remindBeforeExpiry } from './follow-ups.ts';
import { createIdleWaiter } from '../../../test/database/test-idle-database.ts';
import { closeAfterTests } from '../../../test/test-close.ts';

const minute = 60_000;
const states = ['pending', 'opened', 'expired', 'redeemed', 'removed', 'revoked', 'replaced'] as const;
type State = (typeof states)[number];
type Subject = { id: string; email: string; code: string; oldCode: string; batchId: string };

let token = '';
const { wrapDatabase, waitUntilIdle } = createIdleWaiter();
const t = closeAfterTests(
  await createTestApp({
    webDirectory: path.join(import.meta.dirname, '..', '..', '..', '..', '..', 'web'),
    wrapDatabase,
  }),
);
const admin = await t.join('admin@example.com', 'admin');

let counter = 0;
const newAddress = () => `guest-${(counter += 1)}@example.com`;
const one = (invitationId: string) => ({ token, params: { invitationId } });
const now = () => new Date(t.clock.now());
const inviteTo = (email: string) => t.call(invite, { token, body: { email } });
const exchange = async (code: string) => (await t.call(getInviteToken, { body: { code } })).body;
const markMailSent = (id: string) =>
  t.select`
    update invitations set mail_state = 'sent', mailed_at = created_at - interval '1 hour' where id = ${id}`;
const expire = (id: string) => t.select`update invitations set expires_at = ${now()} where id = ${id}`;
const mailsOf = async (id: string) =>
  (await t.select`select from jobs.job where data->>'subjectId' like ${`${id}/%`}`).length;
const signIn = async (email: string, invitationId: string, subject = `${email} ${newId()}`) =>
  (
    await t.app.inject({
      url: '/api/users/me',
      headers: { authorization: `Bearer ${await t.mint({ sub: subject, emails: [email], invitationId })}` },
    })
  ).json<{ code?: string; Id: string }>();

async function stateOf(id: string): Promise<string> {
  const { status, email } = (await t.call(getInvitation, one(id))).body;
  if (status !== 'redeemed') return status;
  return (await t.select`select from people where email = ${email}`).length > 0 ? 'redeemed' : 'removed';
}

/** Creates an invitation in a state. It was renewed once, so it has a replaced code. */
async function createInState(state: State): Promise<Subject> {
  const email = newAddress();
  const { id } = (await inviteTo(email)).body;
  const batchId = newId();
  await t.select`
    insert into invitation_batches (id, created_at, created_by_id, created_by, idempotency_key, request_hash)
    values (${batchId}, ${now()}, ${newId()}, 'admin', ${batchId}, '')`;
  await t.select`update invitations set batch_id = ${batchId} where id = ${id}`;
  const subject = { id, email, batchId, code: t.shortCodes.codeOf(id, 1), oldCode: t.shortCodes.codeOf(id) };
  await expire(id);
  await t.call(renewInvitation, { ...one(id), body: {} });
  await markMailSent(id);
  if (state === 'opened') await exchange(subject.code);
  if (state === 'expired' || state === 'replaced') await expire(id);
  if (state === 'replaced') await inviteTo(email);
  if (state === 'revoked') await t.call(revokeInvitation, one(id));
  if (state === 'redeemed' || state === 'removed') {
    const { Id } = await signIn(email, id);
    if (state === 'removed') await t.call(removePerson, { token, params: { personId: Id }, query: {} });
  }
  expect(await stateOf(id)).toBe(state);
  return subject;
}

/** Returns "a mail" if `act` queues a mail of the invitation. */
async function mailed(id: string, act: () => Promise<unknown>): Promise<string> {
  const before = await mailsOf(id);
  await act();
  // New links are created after the response.
  await waitUntilIdle();
  return (await mailsOf(id)) > before ? 'a mail' : '';
}

const requestLink = (id: string, code: string) =>
  mailed(id, async () => expect((await t.call(requestNewLink, { body: { code } })).status).toBe(200));
const setStatus = async (id: string, status: string) => {
  try {
    await t.select`update invitations set status = ${status} where id = ${id}`;
    return '';
  } catch (error) {
    expect((error as { constraint?: string }).constraint).toBe('invitations_end_once');
    return 'refused';
  }
};

/** Events of the document. Each returns the outcome in the words of the document. */
const events: Record<string, (subject: Subject) => Promise<string>> = {
  'a visitor opens the link': async ({ id, code }) => {
    const count = () =>
      t.select`select from invitation_events where invitation_id = ${id} and kind = 'opened'`;
    const headers = {
      'user-agent': 'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36',
      'accept-language': 'en',
      'sec-fetch-mode': 'navigate',
    };
    expect((await t.app.inject({ url: `/signup?i=${code}`, headers })).statusCode).toBe(200);
    await expect.poll(count).toHaveLength(1);
    return '';
  },
  'its code is exchanged': async ({ code }) => {
    const { Succeeded, ErrorMessage } = await exchange(code);
    return Succeeded ? 'a token' : ErrorMessage;
  },
  'a code that a renewal replaced is exchanged': async ({ oldCode }) =>
    (await exchange(oldCode)).ErrorMessage,
  'a new link is requested with its code': ({ id, code }) => requestLink(id, code),
  'a new link is requested with a replaced code': ({ id, oldCode }) => requestLink(id, oldCode),
  'a user signs in with it and its address': async ({ id, email }) => {
    const { code, Id } = await signIn(email, id);
    if (code) return code;
    const redeemedId = await t.scalar<string>`select id from invitations where redeemed_by = ${Id}`;
    return redeemedId === id ? 'signed in' : 'signed in with the later invitation';
  },
  'a user signs in with it and another address': async ({ id }) =>
    (await signIn(newAddress(), id)).code ?? 'signed in',
  'it expires': async ({ id }) => {
    await expire(id);
    return '';
  },
  'an administrator invites its address': async ({ email }) => {
    const { status, body } = await inviteTo(email);
    return status === 200 ? 'a new invitation' : body.code;
  },
  'another invitation is moved to its address': async ({ email }) => {
    const { id } = (await inviteTo(newAddress())).body;
    const { status, body } = await t.call(changeInvitationAddress, { ...one(id), body: { email } });
    return status === 200 ? 'moved' : body.code;
  },
  'an administrator sends it again': async ({ id }) => {
    let code = '';
    const mail = await mailed(id, async () => ({ code } = (await t.call(resendInvitation, one(id))).body));
    return mail || code;
  },
  'an administrator copies its link': async ({ id }) => {
    const { link, code } = (await t.call(getInvitationLink, one(id))).body;
    return link ? 'a link' : code;
  },
  'an administrator renews it': async ({ id }) => {
    let code = '';
    const renew = async () => ({ code } = (await t.call(renewInvitation, { ...one(id), body: {} })).body);
    return (await mailed(id, renew)) || code;
  },
  'an administrator moves it to another address': async ({ id, code: before }) => {
    let code = '';
    const body = { email: newAddress() };
    const move = async () => ({ code } = (await t.call(changeInvitationAddress, { ...one(id), body })).body);
    const mail = await mailed(id, move);
    if (mail) expect((await exchange(before)).ErrorMessage).toBe('Invalid');
    return mail || code;
  },
  'an administrator revokes it': async ({ id }) => (await t.call(revokeInvitation, one(id))).body.code ?? '',
  'its batch is undone': async ({ batchId }) => {
    expect((await t.call(undoBatch, { token, params: { batchId } })).status).toBe(200);
    return '';
  },
  'its reminder is due': async ({ id }) => {
    await t.select`update invitations set lifetime_days = 365 where id = ${id}`;
    const settings = { current: () => Promise.resolve({ reminderDays: 30 }) };
    return mailed(id, () => remindBeforeExpiry({ ...t, now: t.clock.now, settings }));
  },
  'the person with its address is removed': async ({ email }) => {
    // A member who did not redeem this invitation.
    await t.select`
      insert into people (id, email, email_canonical, display_name, role)
      values (${newId()}, ${email}, ${email}, 'Ann', 'member') on conflict do nothing`;
    const personId = await t.scalar<string>`select id from people where email = ${email}`;
    const params = { personId };
    expect((await t.call(removePerson, { token, params, query: {} })).status).toBe(200);
    return '';
  },
  'a program sets its status to pending': ({ id }) => setStatus(id, 'pending'),
  'a program sets its status to revoked': ({ id }) => setStatus(id, 'revoked'),
};

const document = readFileSync(
  path.join(import.meta.dirname, '..', '..', '..', '..', '..', '..', 'docs', 'invitation-lifecycle.md'),
  'utf8',
);
const [head = [], , ...rows] = [...document.matchAll(/^\|(.+)\|$/gm)].map(([, line = '']) =>
  line.split('|').map((cell) => cell.trim().replaceAll('`', '')),
);

test('docs/invitation-lifecycle.md lists exactly the states and events of this test', () => {
  expect(head.slice(1)).toEqual(states);
  expect(rows.map(([event]) => event)).toEqual(Object.keys(events));
});

test.each(rows)('%s has the documented result in every state', async (event = '', ...expected) => {
  const seen: string[] = [];
  for (const state of states) {
    // Resets all rate limits.
    t.clock.advance(61 * minute);
    token = await t.mint({ sub: admin.subject });
    const subject = await createInState(state);
    const response = await (events[event] as (typeof events)[string])(subject);
    const after = await stateOf(subject.id);
    seen.push([response, after !== state && `→ ${after}`].filter(Boolean).join(' ') || '–');
  }
  expect(seen).toEqual(expected);
});
