import { createFileRoute } from '@tanstack/react-router';
export const Route = createFileRoute('/layout/dashboard')({ component: Dashboard });
function Dashboard() {
  const { user, session } = Route.useRouteContext();
  return <main><h1>Welcome, {user.DisplayName}</h1><button onClick={() => void session.signOut()}>Sign out</button></main>;
}
