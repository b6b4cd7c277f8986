/** Organizations that the user can join because of the domain of the user's verified address (R7). */
import { t } from '@lingui/core/macro';
import { useQueryClient } from '@tanstack/react-query';
import {
  joinOrganization,
  listJoinableOrganizations,
  type JoinableOrganization,
} from '@vestibule/contract/organizations/requests';
import { call } from '../../lib/call.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { Button } from '../../ui/button.tsx';
import { RecordList } from '../../ui/record-list.tsx';
import { Card } from '../../ui/shell/page.tsx';
import { runWithErrorToast, toast } from '../../ui/toast/toast.tsx';

const key = ['joinable organizations'];

export function useJoinable(): readonly JoinableOrganization[] {
  return useApiQuery(listJoinableOrganizations, { key }).data?.rows ?? [];
}

export function JoinableList({ organizations }: { organizations: readonly JoinableOrganization[] }) {
  const queries = useQueryClient();
  const join = (organizationId: string) =>
    runWithErrorToast(async () => {
      const { outcome, name } = await call(joinOrganization, { params: { organizationId } });
      toast.success(
        outcome === 'joined'
          ? t`You are now a member of ${name}.`
          : t`Your request was sent to the managers of ${name}. They answer by e-mail.`,
      );
      await Promise.all(
        [key, ['my organizations']].map((queryKey) => queries.invalidateQueries({ queryKey })),
      );
    });
  return (
    <RecordList
      entries={organizations.map(({ organizationId, name, enrolment, state }) => ({
        id: organizationId,
        text: name,
        detail: describe(state),
        badges: state === 'open' && (
          <Button size="small" onClick={() => join(organizationId)}>
            {enrolment === 'automatic' ? t`Join ${name}` : t`Ask to join ${name}`}
          </Button>
        ),
      }))}
    />
  );
}

function describe(state: JoinableOrganization['state']): string {
  if (state === 'requested') return t`You have asked to join. The managers have not answered yet.`;
  return state === 'declined'
    ? t`Ask a manager for an invitation.`
    : t`It has verified the domain of your e-mail address.`;
}

/** Card of the dashboard. Shows nothing unless the user can join an organization now. */
export function JoinableCard() {
  const open = useJoinable().filter(({ state }) => state === 'open');
  if (open.length === 0) return null;
  return (
    <Card title={t`Your organization is here`}>
      <JoinableList organizations={open} />
    </Card>
  );
}
