import { msg } from '@lingui/core/macro';
import { createFileRoute } from '@tanstack/react-router';
import { MembersScreen } from '../../features/organizations/members-screen.tsx';
import { useOrganization } from '../../features/organizations/organization-frame.tsx';
import { loadGrid } from '../../ui/grid/load-grid.ts';
import { readGridAddress } from '../../ui/grid/grid-address.ts';

export const Route = createFileRoute('/_signed-in/layout/organization/$slug/members')({
  staticData: { organizationTab: { label: msg`Members`, order: 1, permission: 'members.read' } },
  validateSearch: readGridAddress,
  loader: ({ context }) => loadGrid(context.session.configuration.GridLicenseKey),
  component: Members,
});

function Members() {
  const { user } = Route.useRouteContext();
  return <MembersScreen organization={useOrganization()} user={user} />;
}
