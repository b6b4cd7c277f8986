/** `/layout/people/…`: details and history of a person (administrators only). */
import { t } from '@lingui/core/macro';
import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { getPerson, type ListedPerson, type Person } from '@vestibule/contract/people';
import type { ReactNode } from 'react';
import { personActionsOf } from './person-actions.tsx';
import { personFactsOf, isRemoved, SignIns } from './person-facts.tsx';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { Button } from '../../ui/button.tsx';
import { useDialog } from '../../ui/dialog/use-dialog.tsx';
import { EmptyState, Loading } from '../../ui/states.tsx';
import { CardRow, Facts } from '../../ui/facts.tsx';
import { Menu } from '../../ui/menu/menu.tsx';
import { Card, Page } from '../../ui/shell/page.tsx';

const route = getRouteApi('/_signed-in/layout/people_/$personId');

/** `more` renders details from other areas. */
export function PersonScreen({ more }: { more: (person: Person) => ReactNode }) {
  const { personId } = route.useParams();
  const person = useApiQuery(getPerson, {
    key: ['person', personId],
    params: { personId },
    changesOf: 'people',
  });
  const refresh = () => void person.refetch();

  if (person.data && !person.isError)
    return (
      <PersonDetails key={personId} person={person.data} onChanged={refresh}>
        {more(person.data)}
      </PersonDetails>
    );
  return (
    <Page title={t`Person`}>
      {isRemoved(person.error) ? (
        <EmptyState title={t`Person not found`} action={<Link to="/layout/people">{t`All people`}</Link>}>
          {t`They were removed, or this address is wrong. What they did is still in the activity log.`}
        </EmptyState>
      ) : (
        <Loading
          query={{ ...person, data: undefined }}
          title={t`This person could not be loaded`}
          lines={8}
        />
      )}
    </Page>
  );
}

function PersonDetails({
  person,
  onChanged,
  children,
}: {
  person: ListedPerson;
  onChanged: () => void;
  children: ReactNode;
}) {
  const { dialog, ask, open, close } = useDialog();
  const navigate = route.useNavigate();
  const { history } = useRouter();
  const { user, session } = route.useRouteContext();

  return (
    <Page
      title={person.displayName}
      description={<Link to="/layout/people">{t`All people`}</Link>}
      actions={
        <Menu
          items={personActionsOf(person, {
            ownId: user.Id,
            ask,
            open,
            close,
            onDone: (removed) => {
              if (!removed) onChanged();
              // If the user has opened another screen meanwhile, that screen stays.
              else if (history.location.pathname.endsWith(person.id)) void navigate({ to: '/layout/people' });
            },
          })}
        >
          <Button>{t`Actions`}</Button>
        </Menu>
      }
    >
      <CardRow>
        <Card title={t`Who`}>
          <Facts items={personFactsOf(person, session.configuration.Ways)} />
        </Card>
        <Card title={t`Sign-ins`}>
          <SignIns personId={person.id} />
        </Card>
      </CardRow>
      {children}
      {dialog}
    </Page>
  );
}
