import { createTestApp, type TestApp } from '../../test/test-app.ts';

type InvitationState = { status: string; redeemed_by: string | null };

export type AdmissionApp = Awaited<ReturnType<typeof createAdmissionApp>>;

export async function createAdmissionApp() {
  const t = await createTestApp();
  let counter = 0;
  return {
    ...t,
    admin: await t.join('admin@example.com', 'admin'),
    newAddress: () => `person-${(counter += 1)}@example.com`,
    async invitationState(id: string): Promise<InvitationState | undefined> {
      return (
        await t.select<InvitationState>('select status, redeemed_by from invitations where id = $1', [id])
      )[0];
    },
    auditOf: (id: string, action: string, app: TestApp = t) =>
      app.select<{ actor_label: string; detail: Record<string, unknown> }>(
        'select actor_label, detail from audit_log where target_id = $1 and action = $2',
        [id, action],
      ),
    peopleWith: (email: string, app: TestApp = t) =>
      app.select<{ id: string; issuer: string; subject: string }>(
        'select id, issuer, subject from people join (select issuer, subject, person_id as id from identities) identity using (id) where email = $1',
        [email],
      ),
  };
}
