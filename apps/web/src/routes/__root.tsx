import { t } from '@lingui/core/macro';
import { createRootRouteWithContext, Outlet, useRouter } from '@tanstack/react-router';
import type { Session } from '../features/auth/session.ts';
import { loadTexts } from '../language/language.ts';
import { describeFailure } from '../language/call-failure.ts';
import { LinkScreen } from '../ui/shell/link-screen.tsx';

/** Routes whose texts are not in the first chunk; apps/web/texts.ts lists the same. */
const laterScreens = /^\/(?:move|_signed-in\/(?!layout\/dashboard))/;
const settingsScreens =
  /^\/_signed-in\/layout\/(?:settings|profile|organization\/\$slug\/(?:domains|integrations|sign-in))/;

export const Route = createRootRouteWithContext<{ session: Session }>()({
  beforeLoad: ({ matches }) => {
    const isAny = (screens: RegExp) => matches.some(({ routeId }) => screens.test(String(routeId)));
    return loadTexts(
      ...(isAny(laterScreens) ? ['more' as const] : []),
      ...(isAny(settingsScreens) ? ['settings' as const] : []),
    );
  },
  component: Outlet,
  notFoundComponent: () => (
    <LinkScreen
      title={t`Page not found`}
      logo={useLogo()}
      action={{ label: t`Go to the start page`, href: '/' }}
    >
      {t`There is no page at this address. It may have been moved, or the link is incomplete.`}
    </LinkScreen>
  ),
  errorComponent: ({ error }) => (
    <LinkScreen
      title={t`This page failed`}
      logo={useLogo()}
      action={{ label: t`Reload`, href: window.location.href }}
    >
      {describeFailure(error).message}
    </LinkScreen>
  ),
});

/** Reads the router's options instead of the route context, because creating the route context may be what has failed. */
function useLogo(): string | null {
  return useRouter().options.context.session.configuration.LogoUrl;
}
