/** `/layout/people`: who is inside, and what can be done about them (administrators only). */
import { msg } from '@lingui/core/macro';
import { IconUsers } from '@tabler/icons-react';
import { createFileRoute } from '@tanstack/react-router';
import { PeopleScreen } from '../../features/people/people-screen.tsx';
import { loadGrid } from '../../ui/grid/load-grid.ts';
import { readFilters, type GridFilter } from '../../ui/grid/rows/grid-query.ts';

export const Route = createFileRoute('/_signed-in/layout/people')({
  staticData: {
    exportAs: '/api/people/export',
    access: 'admin',
    menu: { label: msg`People`, order: 3, icon: IconUsers },
  },
  validateSearch: ({ filters }): { filters?: GridFilter[] } =>
    filters === undefined ? {} : { filters: readFilters(filters) },
  loader: ({ context }) => loadGrid(context.session.configuration.GridLicenseKey),
  component: PeopleScreen,
});
