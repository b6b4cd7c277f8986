/** `/layout/organizations`: all organizations (administrators only). Settings links to it. */
import { createFileRoute } from '@tanstack/react-router';
import { OrganizationsScreen } from '../../features/organizations/organizations-screen.tsx';
import { isId } from '../../lib/is-id.ts';
import { loadGrid } from '../../ui/grid/load-grid.ts';
import { readGridAddress, type GridAddress } from '../../ui/grid/grid-query.ts';

/** `members` opens the dialog with the members of an organization. */
type Search = GridAddress & { members?: string | undefined };

export const Route = createFileRoute('/_signed-in/layout/organizations')({
  staticData: { access: 'admin' },
  validateSearch: ({ members, ...search }): Search => ({
    members: isId(members) ? members : undefined,
    ...readGridAddress(search),
  }),
  loader: ({ context }) => loadGrid(context.session.configuration.GridLicenseKey),
  component: OrganizationsScreen,
});
