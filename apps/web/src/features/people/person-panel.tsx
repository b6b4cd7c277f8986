import { t } from '@lingui/core/macro';
import { Link } from '@tanstack/react-router';
import type { SignInMethod } from '@vestibule/contract/configuration';
import { getPerson, type Person } from '@vestibule/contract/people';
import type { ReactNode } from 'react';
import { personFactsOf, isRemoved, SignIns } from './person-facts.tsx';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { Facts } from '../../ui/facts.tsx';
import { Loading } from '../../ui/states.tsx';
import { SidePanel, type PanelAction, type SidePanelProps } from '../../ui/grid/side-panel.tsx';
import './people.css';

export default function PersonPanel({
  signInMethods,
  actions,
  more,
  ...panel
}: {
  signInMethods: readonly SignInMethod[];
  actions: (person: Person) => readonly PanelAction[];
  /** Details from other areas. */
  more: (person: Person) => ReactNode;
} & Pick<SidePanelProps, 'id' | 'onShow' | 'onClose'>) {
  const { id } = panel;
  const query = useApiQuery(getPerson, {
    key: ['person', id],
    params: { personId: id },
    staleTime: 0,
    changesOf: 'people',
  });
  const person = query.isError ? undefined : query.data;
  return (
    <SidePanel
      {...panel}
      label={person?.displayName ?? t`Person`}
      title={person?.displayName ?? t`Person`}
      avatar={person && { id, name: person.displayName || person.email }}
      actions={person ? actions(person) : []}
    >
      {person && (
        <div key={id} className="side-panel-parts">
          <Link to="/layout/people/$personId" params={{ personId: id }}>
            {t`Open the whole page`}
          </Link>
          <Facts items={personFactsOf(person, signInMethods)} />
          <section>
            <h3>{t`Sign-ins`}</h3>
            <SignIns personId={id} />
          </section>
          {more(person)}
        </div>
      )}
      {!person &&
        (isRemoved(query.error) ? (
          <p>{t`They were removed, or this address is wrong. What they did is still in the activity log.`}</p>
        ) : (
          <Loading
            query={{ ...query, data: undefined }}
            title={t`This person could not be loaded`}
            lines={8}
          />
        ))}
    </SidePanel>
  );
}
