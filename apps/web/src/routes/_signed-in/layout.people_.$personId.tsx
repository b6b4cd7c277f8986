/** `/layout/people/…`: details and history of a person (administrators only). */
import { t } from '@lingui/core/macro';
import { createFileRoute } from '@tanstack/react-router';
import type { Person } from '@vestibule/contract/people';
import PersonTimeline from '../../features/activity/person-timeline.tsx';
import { PersonFiles } from '../../features/attachments/person-files.tsx';
import { PasskeysOfPerson } from '../../features/passkeys/passkeys-of-person.tsx';
import { PersonScreen } from '../../features/people/person-screen.tsx';
import { SessionsCard } from '../../features/sessions/sessions-card.tsx';
import { PersonSignInMethods } from '../../features/sign-in-methods/identity-list.tsx';
import { CardRow } from '../../ui/facts.tsx';
import { Card } from '../../ui/shell/page.tsx';

export const Route = createFileRoute('/_signed-in/layout/people_/$personId')({
  staticData: { access: 'admin' },
  component: () => <PersonScreen more={(person) => <More person={person} />} />,
});

function More({ person }: { person: Person }) {
  const { session } = Route.useRouteContext();
  return (
    <>
      {!session.isB2cOnly() && (
        <CardRow>
          <PersonSignInMethods
            personId={person.id}
            more={
              session.configuration.Ways.some(({ kind }) => kind === 'passkeys') && (
                <PasskeysOfPerson personId={person.id} name={person.displayName} />
              )
            }
          />
          <SessionsCard title={t`Signed in now`} personId={person.id} />
        </CardRow>
      )}
      <Card title={t`Files`}>
        <PersonFiles personId={person.id} />
      </Card>
      <Card title={t`What happened`}>
        <PersonTimeline person={person} />
      </Card>
    </>
  );
}
