/** `/layout/dashboard`: the start page; administrators also see figures of the site. */
import { msg, t } from '@lingui/core/macro';
import { IconLayoutDashboard } from '@tabler/icons-react';
import { createFileRoute, Link } from '@tanstack/react-router';
import type { Activity } from '@vestibule/contract/activity';
import { dashboardDays } from '@vestibule/contract/dashboard';
import { lazy } from 'react';
import { DashboardCards } from 'virtual:extensions';
import { Timeline } from '../../features/activity/timeline.tsx';
import { MyApplicationsCard } from '../../features/applications/my-applications-card.tsx';
import { Figures, type Days } from '../../features/dashboard/figures.tsx';
import { LatestFiles, MyDetails, MyOrganizations, MySignIns } from '../../features/dashboard/own-cards.tsx';
import { CardRow } from '../../ui/facts.tsx';
import { LazyPart } from '../../ui/shell/lazy-part.tsx';
import { Card, Page } from '../../ui/shell/page.tsx';

const JoinableCard = lazy(async () => ({
  default: (await import('../../features/organizations/joinable-organizations.tsx')).JoinableCard,
}));

export const Route = createFileRoute('/_signed-in/layout/dashboard')({
  staticData: {
    menu: { label: msg`Dashboard`, order: 1, icon: IconLayoutDashboard },
    finder: () => import('../../features/applications/applications-finder.tsx'),
  },
  validateSearch: ({ days }): { days?: Days | undefined } => ({
    days: dashboardDays.find((allowedDays) => allowedDays === days),
  }),
  component: Dashboard,
});

function Dashboard() {
  const { user, session } = Route.useRouteContext();
  const { days = 30 } = Route.useSearch();
  const { DisplayName: name } = user;
  const { ProductName: site } = session.configuration;
  const navigate = Route.useNavigate();
  const ownCards = (
    <>
      {session.configuration.HasOrganizations && (
        <LazyPart fallback={null}>
          <JoinableCard />
        </LazyPart>
      )}
      <DashboardCards />
      <LatestFiles />
      <MySignIns />
      <MyDetails user={user} />
    </>
  );
  return (
    <Page
      title={t`Welcome, ${name}`}
      description={
        <>
          {t`You are signed in to ${site}.`}
          {session.configuration.HasOrganizations && <MyOrganizations />}
        </>
      }
      actions={
        user.IsAdmin && (
          <Link
            to="/layout/invitations"
            search={{ invite: true }}
            className="button button-primary button-medium"
          >
            {t`Invite`}
          </Link>
        )
      }
    >
      <MyApplicationsCard />
      {user.IsAdmin ? (
        <Figures
          days={days}
          onDays={(chosen) => void navigate({ search: { days: chosen }, replace: true, resetScroll: false })}
          latest={latestActivity}
        >
          {ownCards}
        </Figures>
      ) : (
        <CardRow>{ownCards}</CardRow>
      )}
    </Page>
  );
}

function latestActivity(entries: readonly Activity[]) {
  return (
    <Card title={t`Latest activity`} actions={<Link to="/layout/activity">{t`All activity`}</Link>}>
      <Timeline entries={entries} about={{ email: '' }} />
    </Card>
  );
}
