/** `/layout`: everything behind the door, in a chunk of its own (A3). */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { createFileRoute, Outlet } from '@tanstack/react-router';
import { WaitingInTitle } from '../features/dashboard/waiting.ts';
import { Palette } from '../features/palette/palette.tsx';
import { requirePerson, type SignedIn } from '../features/door/guard.ts';
import { SignedInFrame } from '../features/door/signed-in-frame.tsx';
import { gridServer } from '../lib/grid-server.ts';
import { GridServerContext } from '../ui/grid/rows/grid-server.ts';
import { Page } from '../ui/shell/page.tsx';

export const Route = createFileRoute('/layout')({
  beforeLoad: (route): SignedIn => requirePerson(route),
  component: Layout,
  notFoundComponent: () => (
    <Page title={t`Page not found`}>
      <p>
        <Trans>There is no page at this address. Choose one from the menu.</Trans>
      </p>
    </Page>
  ),
});

function Layout() {
  const { session, user } = Route.useRouteContext();
  return (
    <SignedInFrame session={session} tools={<Palette user={user} onSignOut={() => void session.signOut()} />}>
      <GridServerContext value={gridServer}>
        {user.IsAdmin && <WaitingInTitle />}
        <Outlet />
      </GridServerContext>
    </SignedInFrame>
  );
}
