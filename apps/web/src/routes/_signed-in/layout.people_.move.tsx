/** `/layout/people/move`: moving people to another way to sign in (administrators only). */
import { createFileRoute } from '@tanstack/react-router';
import { MovesScreen } from '../../features/moves/moves-screen.tsx';
import { loadGrid } from '../../ui/grid/load-grid.ts';
import { readFilters, type GridFilter } from '../../ui/grid/rows/grid-query.ts';

export const Route = createFileRoute('/_signed-in/layout/people_/move')({
  staticData: { access: 'admin' },
  validateSearch: ({ way, filters }): { way?: string; filters?: GridFilter[] } => ({
    ...(typeof way === 'string' && { way }),
    ...(filters !== undefined && { filters: readFilters(filters) }),
  }),
  loader: ({ context }) => loadGrid(context.session.configuration.GridLicenseKey),
  component: Moves,
});

function Moves() {
  const { session } = Route.useRouteContext();
  return <MovesScreen ways={session.configuration.Ways.filter(({ kind }) => kind === 'oidc')} />;
}
