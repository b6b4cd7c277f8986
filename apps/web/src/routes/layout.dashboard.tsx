/** `/layout/dashboard`: where people land after signing in: who I am, and for administrators who is inside. */
import { IconLayoutDashboard } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { createFileRoute, Link } from '@tanstack/react-router';
import { listInvitations } from '@vestibule/contract/invitations';
import { listPeople } from '@vestibule/contract/people';
import { describeFailure } from '../lib/call-failure.ts';
import { call } from '../lib/call.ts';
import { Badge } from '../ui/badge.tsx';
import { Failure } from '../ui/failure.tsx';
import { Card, Page } from '../ui/page.tsx';
import { Skeleton } from '../ui/skeleton.tsx';

export const Route = createFileRoute('/layout/dashboard')({
  staticData: { menu: { label: 'Dashboard', order: 1, icon: IconLayoutDashboard } },
  component: Dashboard,
});

function Dashboard() {
  const { user, session } = Route.useRouteContext();
  return (
    <Page
      title={`Welcome, ${user.DisplayName}`}
      description={`You are signed in to ${session.configuration.ProductName}.`}
    >
      <div className="card-row">
        <Card title="Who I am">
          <dl className="facts">
            <div>
              <dt>Name</dt>
              <dd>{user.DisplayName}</dd>
            </div>
            <div>
              <dt>E-mail</dt>
              <dd>{user.Email}</dd>
            </div>
            <div>
              <dt>Role</dt>
              <dd>{user.IsAdmin ? <Badge tone="accent">Administrator</Badge> : <Badge>Member</Badge>}</dd>
            </div>
          </dl>
        </Card>
        {user.IsAdmin && <Inside />}
      </div>
    </Page>
  );
}

/** How many are inside and how many were asked in. */
function Inside() {
  const counts = useQuery({
    queryKey: ['dashboard', 'counts'],
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
        <dl className="facts">
          <div>
            <dt>People</dt>
            <dd>
              <Link to="/layout/people">{counts.data.people.toLocaleString()} inside</Link>
            </dd>
          </div>
          <div>
            <dt>Invitations</dt>
            <dd>
              <Link to="/layout/invitations">{counts.data.invitations.toLocaleString()} so far</Link>
            </dd>
          </div>
        </dl>
      )}
    </Card>
  );
}
