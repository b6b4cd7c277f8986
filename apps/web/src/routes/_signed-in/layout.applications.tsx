/** `/layout/applications`: applications whose users sign in at this site (administrators only). */
import { msg } from '@lingui/core/macro';
import { IconApps } from '@tabler/icons-react';
import { createFileRoute } from '@tanstack/react-router';
import { ApplicationsScreen } from '../../features/applications/applications-screen.tsx';
import { loadGrid } from '../../ui/grid/load-grid.ts';
import { readGridAddress } from '../../ui/grid/grid-address.ts';

export const Route = createFileRoute('/_signed-in/layout/applications')({
  staticData: { access: 'admin', menu: { label: msg`Applications`, order: 3.7, icon: IconApps } },
  validateSearch: readGridAddress,
  loader: ({ context }) => loadGrid(context.session.configuration.GridLicenseKey),
  component: Applications,
});

function Applications() {
  const { session } = Route.useRouteContext();
  return <ApplicationsScreen hasOrganizations={session.configuration.HasOrganizations} />;
}
