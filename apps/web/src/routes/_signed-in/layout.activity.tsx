/** `/layout/activity`: who did what to whom, when and from where, and whether that is still true (administrators only). */
import { msg } from '@lingui/core/macro';
import { IconHistory } from '@tabler/icons-react';
import { createFileRoute } from '@tanstack/react-router';
import { ActivityScreen } from '../../features/activity/activity-screen.tsx';
import { loadGrid } from '../../ui/grid/load-grid.ts';
import { readFilters, type GridFilter } from '../../ui/grid/rows/grid-query.ts';

export const Route = createFileRoute('/_signed-in/layout/activity')({
  staticData: {
    exportAs: '/api/activity/export',
    access: 'admin',
    menu: { label: msg`Activity`, order: 4, icon: IconHistory },
  },
  validateSearch: ({ filters }): { filters?: GridFilter[] } =>
    filters === undefined ? {} : { filters: readFilters(filters) },
  loader: ({ context }) => loadGrid(context.session.configuration.GridLicenseKey),
  component: ActivityScreen,
});
