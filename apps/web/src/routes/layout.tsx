/** `/layout`: everything behind the door, in a chunk of its own (A3). Needs a signed-in person (A7). */
import { createFileRoute, Outlet, redirect } from '@tanstack/react-router';
import { saveUrl } from '../features/sign-in/saved-url.ts';

export const Route = createFileRoute('/layout')({
  beforeLoad({ context, location }) {
    const user = context.session.user();
    if (!user) {
      saveUrl(location.href);
      throw redirect({ to: '/', replace: true, reloadDocument: true });
    }
    return { user };
  },
  component: Outlet,
});
