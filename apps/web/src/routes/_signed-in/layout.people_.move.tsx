/** `/layout/people/move`: identity migrations to another sign-in method (administrators only). */
import { createFileRoute } from '@tanstack/react-router';
import { MigrationsScreen } from '../../features/identity-migrations/migrations-screen.tsx';
import { loadGrid } from '../../ui/grid/load-grid.ts';
import { readGridAddress, type GridAddress } from '../../ui/grid/grid-address.ts';

export const Route = createFileRoute('/_signed-in/layout/people_/move')({
  staticData: { access: 'admin' },
  validateSearch: ({ way, ...search }): GridAddress & { way?: string | undefined } => ({
    way: typeof way === 'string' ? way : undefined,
    ...readGridAddress(search),
  }),
  loader: ({ context }) => loadGrid(context.session.configuration.GridLicenseKey),
  component: Migrations,
});

function Migrations() {
  const { session } = Route.useRouteContext();
  return <MigrationsScreen methods={session.configuration.Ways.filter(({ kind }) => kind === 'oidc')} />;
}
