import { createRootRouteWithContext, Outlet } from '@tanstack/react-router';
import type { Session } from '../features/sign-in/session.ts';
import { LinkScreen } from '../ui/link-screen.tsx';

export const Route = createRootRouteWithContext<{ session: Session }>()({
  component: Outlet,
  notFoundComponent: () => (
    <LinkScreen title="Page not found" action={{ label: 'Go to the start', href: '/' }}>
      There is no page at this address. It may have been moved, or the link was cut off.
    </LinkScreen>
  ),
  errorComponent: () => (
    <LinkScreen title="This page failed" action={{ label: 'Load again', href: window.location.href }}>
      Something went wrong while showing this page. Load it again; if it stays so, tell support what you did.
    </LinkScreen>
  ),
});
