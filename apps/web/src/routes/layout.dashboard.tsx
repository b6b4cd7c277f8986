/** `/layout/dashboard`: where people land after signing in: who I am, and for administrators who is inside. */
import { msg } from '@lingui/core/macro';
import { IconLayoutDashboard } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { createFileRoute, Link } from '@tanstack/react-router';
import { listInvitations } from '@vestibule/contract/invitations';
import { listPeople } from '@vestibule/contract/people';
import { describeFailure } from '../lib/call-failure.ts';
import { call } from '../lib/call.ts';
import { Badge } from '../ui/badge.tsx';
import { CardRow, Facts } from '../ui/facts.tsx';
import { Failure } from '../ui/failure.tsx';
import { Card, Page } from '../ui/page.tsx';
import { Skeleton } from '../ui/skeleton.tsx';

export const Route = createFileRoute('/layout/dashboard')({
  staticData: { menu: { label: msg`Dashboard`, order: 1, icon: IconLayoutDashboard } },
  component: Dashboard,
});

function Dashboard() {
  const { user, session } = Route.useRouteContext();
  return (
    <Page
      title={`Welcome, ${user.DisplayName}`}
      description={`You are signed in to ${session.configuration.ProductName}.`}
    >
      <CardRow>
        <Card title="Who I am">
          <Facts
            items={[
              { name: 'Name', value: user.DisplayName },
              { name: 'E-mail', value: user.Email },
              {
                name: 'Role',
                value: user.IsAdmin ? <Badge tone="accent">Administrator</Badge> : <Badge>Member</Badge>,
              },
            ]}
          />
        </Card>
        {user.IsAdmin && <Inside />}
      </CardRow>
    </Page>
  );
}

/** How many are inside and how many were asked in. */
function Inside() {
  const counts = useQuery({
    queryKey: ['dashboard', 'counts'],
    // Whoever comes back from inviting or removing somebody wants to see it counted.
    refetchOnMount: 'always',
    queryFn: async ({ signal }) => {
      const [people, invitations] = await Promise.all([
        call(listPeople, { query: { limit: 1 }, signal }),
        call(listInvitations, { query: { limit: 1 }, signal }),
      ]);
      return { people: people.total ?? 0, invitations: invitations.total ?? 0 };
    },
  });
  return (
    <Card title="Who is inside">
      {counts.isPending && <Skeleton lines={2} />}
      {counts.isError && (
        <Failure title="The numbers could not be loaded." onRetry={() => counts.refetch()}>
          {describeFailure(counts.error).message}
        </Failure>
      )}
      {counts.data && (
        <Facts
          items={[
            {
              name: 'People',
              value: <Link to="/layout/people">{counts.data.people.toLocaleString()} inside</Link>,
            },
            {
              name: 'Invitations',
              value: <Link to="/layout/invitations">{counts.data.invitations.toLocaleString()} so far</Link>,
            },
          ]}
        />
      )}
    </Card>
  );
}
