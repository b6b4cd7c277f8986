import { msg } from '@lingui/core/macro';
import { createFileRoute } from '@tanstack/react-router';
import { readInvitationsAddress } from '../../features/invitations/invitations-address.ts';
import { InvitationsScreen } from '../../features/invitations/invitations-screen.tsx';
import { useOrganization } from '../../features/organizations/organization-frame.tsx';
import { loadGrid } from '../../ui/grid/load-grid.ts';

export const Route = createFileRoute('/_signed-in/layout/organization/$slug/invitations')({
  staticData: { organizationTab: { label: msg`Invitations`, order: 2, permission: 'invitations.read' } },
  validateSearch: readInvitationsAddress,
  loader: ({ context }) => loadGrid(context.session.configuration.GridLicenseKey),
  component: OrganizationInvitations,
});

function OrganizationInvitations() {
  const { organizationId, permissions } = useOrganization();
  return <InvitationsScreen key={organizationId} mayInvite={permissions.includes('invitations.write')} />;
}
