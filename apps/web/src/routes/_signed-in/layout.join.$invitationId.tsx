import { createFileRoute } from '@tanstack/react-router';
import { JoinScreen } from '../../features/organizations/join-screen.tsx';

export const Route = createFileRoute('/_signed-in/layout/join/$invitationId')({ component: Join });

function Join() {
  const { user } = Route.useRouteContext();
  return <JoinScreen invitationId={Route.useParams().invitationId} email={user.Email} />;
}
