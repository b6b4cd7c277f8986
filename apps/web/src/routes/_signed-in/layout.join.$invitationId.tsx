import { createFileRoute } from '@tanstack/react-router';
import { JoinScreen } from '../../features/organizations/join-screen.tsx';

export const Route = createFileRoute('/_signed-in/layout/join/$invitationId')({ component: Join });

function Join() {
  const { session, user } = Route.useRouteContext();
  return (
    <JoinScreen
      invitationId={Route.useParams().invitationId}
      email={user.Email}
      invited={new URLSearchParams(window.location.hash.slice(1)).get('for') ?? ''}
      signOut={session.signOut}
    />
  );
}
