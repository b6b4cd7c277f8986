import {
  actOnInvitations,
  changeInvitationAddress,
  getInvitation,
  renewInvitation,
  resendInvitation,
  revokeInvitation,
} from '@vestibule/contract/invitations';
import { invitationSkipped } from '@vestibule/contract/invitations/texts';
import { invitationSkipReason } from '@vestibule/contract/rules/skipped';
import { describeSkipped } from '../../../platform/lists/bulk-action.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import type { TestApp } from '../../../test/test-app.ts';
import { withRefusedWrites } from '../../../test/database/test-faults.ts';
import { createInvitingApp } from '../test-inviting.ts';
import { closeAfterTests } from '../../../test/test-close.ts';

const minute = 60_000;
const day = 24 * 3600_000;

const t = closeAfterTests(await createInvitingApp());
beforeEach(() => t.advanceHour());

const details = async (id: string) => (await t.call(getInvitation, t.one(id))).body;
const exchange = async (code: string) => (await t.exchange(code)).body.ErrorMessage;
const actions = (id: string) =>
  t.scalars<string>`select action from audit_log where target_id = ${id} order by id`;
const jobsOf = async (id: string) =>
  (
    await t.select<{ subject: string }>`
      select data->>'subjectId' as subject from jobs.job where data->>'subjectId' like ${`${id}/%`} order by 1`
  ).map(({ subject }) => subject.split('/')[1]);
const unknown = '0192f0c1-2345-7abc-8def-0123456789ab';

describe('sending again', () => {
  const resend = (id: string, app: TestApp = t) => app.call(resendInvitation, t.one(id));

  test('mails the same link once more, with its audit row', async () => {
    const { id } = await t.invited();
    const link = await t.linkOf(id);
    expect((await resend(id)).body).toMatchObject({ id, mailState: 'queued', status: 'pending' });
    expect(await t.linkOf(id)).toBe(link);
    expect(await jobsOf(id)).toEqual(['1', '2']);
    expect(await actions(id)).toContain('invitation.sent_again');
  });

  test('concurrent requests send one mail per invitation, each recorded with its own caller', async () => {
    const second = await t.join(t.newAddress(), 'admin');
    const [one, other] = [(await t.invited()).id, (await t.invited()).id];
    const statuses = await Promise.all(
      [t.one(one), { ...t.one(other), token: second.token }, t.one(one), t.one(unknown)].map(
        async (call) => (await t.call(resendInvitation, call)).status,
      ),
    );
    expect(statuses.toSorted((left, right) => left - right)).toEqual([200, 200, 404, 409]);
    expect(await jobsOf(one)).toEqual(['1', '2']);
    expect(await jobsOf(other)).toEqual(['1', '2']);
    expect(
      await t.select`
        select target_id, actor_id from audit_log where action = 'invitation.sent_again' and target_id = any(${[one, other]})
        order by target_id`,
    ).toEqual([
      { target_id: one, actor_id: t.admin.id },
      { target_id: other, actor_id: second.id },
    ]);
  });

  test('is limited to three times an hour, then returns 429 with the retry time (security 26)', async () => {
    const { id } = await t.invited();
    for (let time = 0; time < 3; time += 1) {
      expect((await resend(id)).status).toBe(200);
      await t.mailWasSent(id);
      t.clock.advance(5 * minute);
    }
    const refused = await resend(id);
    expect(refused).toMatchObject({ status: 429, body: { code: 'invitation.sent_too_often' } });
    expect(refused.headers['retry-after']).toBe(String(45 * 60));
    t.clock.advance(45 * minute - 1000);
    expect((await resend(id)).headers['retry-after']).toBe('1');
    t.clock.advance(1000);
    expect((await resend(id)).status).toBe(200);
  });
});

describe('renewing', () => {
  const renew = (id: string, body: { lifetimeDays?: number } = {}) =>
    t.call(renewInvitation, { ...t.one(id), body });

  test('opens an expired invitation with a new link, and the old link stays expired', async () => {
    const { id } = await t.invited({ lifetimeDays: 3 });
    const old = await t.codeOf(id);
    await t.expire(id);
    expect((await renew(id)).body).toMatchObject({
      id,
      status: 'pending',
      mailState: 'queued',
      openedAt: null,
      expiresAt: new Date(t.clock.now() + 3 * day).toISOString(),
    });
    const newCode = await t.codeOf(id);
    expect(newCode).not.toBe(old);
    expect(await exchange(old)).toBe('Expired');
    expect(await exchange(newCode)).toBe('');
    expect(await jobsOf(id)).toEqual(['1', '2']);
    expect(await actions(id)).toContain('invitation.renewed');
  });
});

describe('changing the address of an invitation', () => {
  const change = (id: string, email: string) =>
    t.call(changeInvitationAddress, { ...t.one(id), body: { email } });

  test('ends the old link at once and mails a new one to the new address only', async () => {
    const { id, email: from } = await t.invited();
    const old = await t.codeOf(id);
    const to = t.newAddress();
    expect((await change(id, to)).body).toMatchObject({
      id,
      email: to,
      status: 'pending',
      mailState: 'queued',
    });
    expect(await exchange(old)).toBe('Invalid');
    expect(await exchange(await t.codeOf(id))).toBe('');
    expect(
      await t.select("select detail from audit_log where action = 'invitation.address_changed'"),
    ).toContainEqual({
      detail: { from, to },
    });
    const { timeline } = await details(id);
    expect(timeline).toContainEqual(
      expect.objectContaining({ kind: 'address_changed', by: t.admin.email, note: from }),
    );
  });

  test('also ends links replaced by renewals, and invite tokens for the old address (security 20, 24)', async () => {
    const { id, email: from } = await t.invited();
    const first = await t.codeOf(id);
    await t.expire(id);
    await t.call(renewInvitation, { ...t.one(id), body: {} });
    const second = await t.codeOf(id);
    await change(id, t.newAddress());
    expect([await exchange(first), await exchange(second)]).toEqual(['Invalid', 'Invalid']);
    expect((await t.signIn(from, { invitationId: id })).code).toBe('person.invited_as_another');
    expect((await details(id)).explanation).toContain('a different e-mail address');
  });

  test('is rejected if the new address is taken, invalid or unchanged', async () => {
    const { id, email } = await t.invited();
    const other = await t.invited();
    const member = await t.join(t.newAddress());
    for (const [to, code] of [
      [email.toUpperCase(), 'invitation.same_address'],
      [other.email, 'invitation.already_invited'],
      [member.email, 'invitation.already_member'],
      ['a@ｅxample.com', 'request.invalid'],
      ['a@example.com\r\nBcc: b@example.com', 'request.invalid'],
    ])
      expect((await change(id, to as string)).body.code).toBe(code);
    await t.call(revokeInvitation, t.one(id));
    expect((await change(id, t.newAddress())).body.code).toBe('invitation.not_pending');
    expect((await change(unknown, t.newAddress())).body.code).toBe('invitation.not_found');
  });
});

describe('bulk actions', () => {
  const shown = ({ id, name, email }: { id: string; name: string; email: string }) => ({ id, name, email });
  const act = (action: 'resend' | 'revoke' | 'renew', selection: object) =>
    t.callAs(t.admin, actOnInvitations, { body: { action, selection: selection as { ids: string[] } } });

  test.each(['resend', 'renew', 'revoke'] as const)(
    '%s skips exactly the invitations for which invitationSkipReason returns a reason, and reports that reason (K2)',
    async (action) => {
      const open = await t.invited();
      const queued = (await t.inviteTo()).body;
      const expired = await t.invited();
      await t.expire(expired.id);
      const revoked = await t.invited();
      await t.call(revokeInvitation, t.one(revoked.id));
      const rows = await Promise.all([open, queued, expired, revoked].map(({ id }) => details(id)));

      const { body } = await act(action, { ids: rows.map(({ id }) => id) });

      const skipped = rows.flatMap((row) => {
        const reason = invitationSkipReason(action, row);
        const isForGood = reason === 'revoked' && action === 'renew';
        return reason
          ? [
              describeSkipped(
                row.id,
                row.email,
                isForGood ? invitationSkipped.revokedForGood : invitationSkipped[reason],
                shown(row),
              ),
            ]
          : [];
      });
      expect(skipped.length).toBeGreaterThan(0);
      expect(body).toMatchObject({ done: rows.length - skipped.length, skippedCount: skipped.length });
      expect(body.skipped).toEqual(expect.arrayContaining(skipped));
    },
  );

  test('change all matching invitations across pages and name at most 100 skipped ones', async () => {
    const addresses = Array.from({ length: 150 }, (_, index) => `page-${index}@selected.example`);
    await Promise.all(addresses.map((email) => t.inviteTo(email)));
    const all = { search: 'selected.example', total: 150 };
    const response = await act('resend', { all });
    expect(response.body).toMatchObject({ done: 0, skippedCount: 150 });
    expect(response.body.skipped).toHaveLength(100);
    const filters = [{ column: 'status', is: 'oneOf', values: ['pending'] }];
    expect((await act('revoke', { all: { ...all, filters } })).body).toMatchObject({ done: 150 });
    expect((await act('revoke', { all: { ...all, filters, total: 0 } })).body).toMatchObject({
      done: 0,
      skippedCount: 0,
    });
    expect((await act('revoke', { all: { search: 'selected.example', total: 3 } })).body.code).toBe(
      'selection.changed',
    );
  });

  test('change nothing without audit rows (security 50)', async () => {
    const { id } = await t.invited();
    for (const action of ['revoke', 'resend'] as const)
      expect((await withRefusedWrites(t, 'audit_log', () => act(action, { ids: [id] }))).status).toBe(500);
    expect(await details(id)).toMatchObject({ status: 'pending', mailState: 'sent' });
  });
});
