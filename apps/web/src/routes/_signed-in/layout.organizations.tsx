/** `/layout/organizations`: all organizations (administrators only). Settings links to it. */
import { msg } from '@lingui/core/macro';
import { IconBuilding } from '@tabler/icons-react';
import { createFileRoute } from '@tanstack/react-router';
import { OrganizationsScreen } from '../../features/organizations/organizations-screen.tsx';
import { loadGrid } from '../../ui/grid/load-grid.ts';
import { readGridAddress } from '../../ui/grid/grid-address.ts';

export const Route = createFileRoute('/_signed-in/layout/organizations')({
  staticData: {
    access: 'admin',
    menu: { label: msg`Organizations`, order: 3.5, icon: IconBuilding, needsOrganizations: true },
  },
  validateSearch: readGridAddress,
  loader: ({ context }) => loadGrid(context.session.configuration.GridLicenseKey),
  component: OrganizationsScreen,
});
