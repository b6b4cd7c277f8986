import { msg } from '@lingui/core/macro';
import { createFileRoute } from '@tanstack/react-router';
import { ActivityScreen } from '../../features/activity/activity-screen.tsx';
import { useOrganization } from '../../features/organizations/organization-frame.tsx';
import { loadGrid } from '../../ui/grid/load-grid.ts';
import { readGridAddress } from '../../ui/grid/grid-address.ts';

export const Route = createFileRoute('/_signed-in/layout/organization/$slug/activity')({
  staticData: { organizationTab: { label: msg`Activity`, order: 4, permission: 'activity.read' } },
  validateSearch: readGridAddress,
  loader: ({ context }) => loadGrid(context.session.configuration.GridLicenseKey),
  component: () => <ActivityScreen organizationId={useOrganization().organizationId} />,
});
