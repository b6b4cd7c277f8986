/** `/layout/open-application`: users sign in here before they open an application. */
import { createFileRoute } from '@tanstack/react-router';
import { OpenApplicationScreen } from '../../features/applications/open-application-screen.tsx';

export const Route = createFileRoute('/_signed-in/layout/open-application')({ component: OpenApplication });

function OpenApplication() {
  const { session, user } = Route.useRouteContext();
  return <OpenApplicationScreen email={user.Email} signOut={session.signOut} />;
}
