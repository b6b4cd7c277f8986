/** Everything behind the door: the guard, and the frame that stays while screens change (A3, A5). */
import { createFileRoute, Outlet } from '@tanstack/react-router';
import { PendingCountInTitle } from '../features/dashboard/pending-count.ts';
import { requirePerson, type SignedIn } from '../features/auth/guard.ts';
import { SignedInFrame, signOut } from '../features/auth/signed-in-frame.tsx';
import { Palette } from '../features/palette/palette.tsx';
import { gridServer } from '../lib/lists/grids.ts';
import { GridServerContext } from '../ui/grid/rows/grid-server.ts';

export const Route = createFileRoute('/_signed-in')({
  beforeLoad: (route): SignedIn => requirePerson(route),
  component: Frame,
});

function Frame() {
  const { session, user } = Route.useRouteContext();
  return (
    <SignedInFrame
      session={session}
      tools={
        <Palette user={user} ways={session.configuration.Ways} onSignOut={() => void signOut(session)} />
      }
    >
      <GridServerContext value={gridServer}>
        {user.IsAdmin && <PendingCountInTitle />}
        <Outlet />
      </GridServerContext>
    </SignedInFrame>
  );
}
