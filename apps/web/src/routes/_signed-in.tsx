/** Guard and frame of all screens for signed-in users (A3, A5). */
import { createFileRoute, Outlet } from '@tanstack/react-router';
import { PendingCountInTitle } from '../features/dashboard/pending-count.ts';
import { requireUser, type SignedInContext } from '../features/auth/guard.ts';
import { SignedInFrame } from '../features/auth/signed-in-frame.tsx';
import { Palette } from '../features/palette/palette.tsx';
import { gridServer } from '../features/views/grid-server.ts';
import { GridServerContext } from '../ui/grid/grid-server.ts';
import { ScreenFailure } from '../ui/shell/screen-failure.tsx';

export const Route = createFileRoute('/_signed-in')({
  beforeLoad: (route): SignedInContext => requireUser(route),
  component: Frame,
});

function Frame() {
  const { session, user, textsFailure } = Route.useRouteContext();
  return (
    <SignedInFrame
      session={session}
      tools={<Palette user={user} signInMethods={session.configuration.Ways} />}
    >
      <GridServerContext value={gridServer}>
        {user.IsAdmin && <PendingCountInTitle />}
        {textsFailure === null ? <Outlet /> : <ScreenFailure error={textsFailure} />}
      </GridServerContext>
    </SignedInFrame>
  );
}
