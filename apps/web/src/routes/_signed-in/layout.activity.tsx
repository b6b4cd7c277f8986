/** `/layout/activity`: the audit log (administrators only). */
import { msg } from '@lingui/core/macro';
import { IconHistory } from '@tabler/icons-react';
import { createFileRoute } from '@tanstack/react-router';
import { ActivityScreen } from '../../features/activity/activity-screen.tsx';
import { loadGrid } from '../../ui/grid/load-grid.ts';
import { readGridAddress } from '../../ui/grid/grid-address.ts';

export const Route = createFileRoute('/_signed-in/layout/activity')({
  staticData: { access: 'admin', menu: { label: msg`Activity`, order: 4, icon: IconHistory } },
  validateSearch: readGridAddress,
  loader: ({ context }) => loadGrid(context.session.configuration.GridLicenseKey),
  component: () => <ActivityScreen />,
});
