/** `/layout/people`: all people (administrators only). */
import { msg, t } from '@lingui/core/macro';
import { IconUsers } from '@tabler/icons-react';
import { createFileRoute } from '@tanstack/react-router';
import { lazy } from 'react';
import { PeopleScreen } from '../../features/people/people-screen.tsx';
import { isId } from '../../lib/is-id.ts';
import { loadGrid } from '../../ui/grid/load-grid.ts';
import { readGridAddress, type GridAddress } from '../../ui/grid/grid-address.ts';
import { LazyPart } from '../../ui/shell/lazy-part.tsx';
import { Skeleton } from '../../ui/states.tsx';

/** `show` opens the side panel. */
type Search = GridAddress & { show?: string | undefined };

const PersonTimeline = lazy(() => import('../../features/activity/person-timeline.tsx'));

export const Route = createFileRoute('/_signed-in/layout/people')({
  staticData: {
    access: 'admin',
    menu: { label: msg`People`, order: 3, icon: IconUsers },
    finder: () => import('../../features/people/people-finder.tsx'),
  },
  validateSearch: ({ show, ...search }): Search => ({
    show: isId(show) ? show : undefined,
    ...readGridAddress(search),
  }),
  loader: ({ context }) => loadGrid(context.session.configuration.GridLicenseKey),
  component: () => (
    <PeopleScreen
      more={(person) => (
        <section aria-label={t`What happened`}>
          <h3>{t`What happened`}</h3>
          <LazyPart isCard={false} fallback={<Skeleton lines={4} />}>
            <PersonTimeline person={person} />
          </LazyPart>
        </section>
      )}
    />
  ),
});
