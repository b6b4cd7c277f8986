import { msg } from '@lingui/core/macro';
import { createFileRoute } from '@tanstack/react-router';
import { DomainsScreen } from '../../features/organizations/domains-screen.tsx';

export const Route = createFileRoute('/_signed-in/layout/organization/$slug/domains')({
  staticData: { organizationTab: { label: msg`Domains`, order: 3, permission: 'domains.write' } },
  component: DomainsScreen,
});
