/** `/layout/people/…`: one person: who they are, what happened, and when they signed in (administrators only). */
import { t } from '@lingui/core/macro';
import { createFileRoute } from '@tanstack/react-router';
import type { Person } from '@vestibule/contract/people';
import { PersonTimeline } from '../../features/activity/person-timeline.tsx';
import { PersonFiles } from '../../features/attachments/person-files.tsx';
import { PasskeysOfPerson } from '../../features/passkeys/passkeys-of-person.tsx';
import { PersonScreen } from '../../features/people/person-screen.tsx';
import { SessionsCard } from '../../features/sessions/sessions-card.tsx';
import { Card } from '../../ui/shell/page.tsx';

export const Route = createFileRoute('/_signed-in/layout/people_/$personId')({
  staticData: { access: 'admin' },
  component: () => <PersonScreen more={(person) => <More person={person} />} />,
});

function More({ person }: { person: Person }) {
  const { session } = Route.useRouteContext();
  return (
    <>
      {session.configuration.Ways.some(({ kind }) => kind === 'passkeys') && (
        <Card title={t`Ways to sign in`}>
          <PasskeysOfPerson personId={person.id} name={person.displayName} />
        </Card>
      )}
      {!session.isB2cOnly() && <SessionsCard title={t`Signed in now`} personId={person.id} />}
      <Card title={t`Files`}>
        <PersonFiles personId={person.id} />
      </Card>
      <Card title={t`What happened`}>
        <PersonTimeline person={person} />
      </Card>
    </>
  );
}
