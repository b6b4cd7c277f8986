/**
 * `/`: the login screen, which runs before the application is loaded (main.ts). A navigation from the application to `/` therefore reloads
 * the page.
 */
import { createFileRoute } from '@tanstack/react-router';
import { useEffect } from 'react';
import { LoginScreen } from '../ui/shell/login-screen.tsx';

export const Route = createFileRoute('/')({ component: Login });

function Login() {
  const { session } = Route.useRouteContext();
  useEffect(() => window.location.replace('/'), []);
  return <LoginScreen productName={session.configuration.ProductName} logo={session.configuration.LogoUrl} />;
}
