import { t } from '@lingui/core/macro';
import { createRootRouteWithContext, Outlet, useRouter } from '@tanstack/react-router';
import type { Session } from '../features/auth/session.ts';
import { loadTexts } from '../language/language.ts';
import { LinkScreen } from '../ui/shell/link-screen.tsx';
import { useScreenFailure } from '../ui/shell/screen-failure.tsx';

/** Routes whose texts are not in the first chunk; apps/web/texts.ts lists the same. */
const laterScreens = /^\/(?:move|_signed-in\/(?!layout\/dashboard))/;
const settingsScreens =
  /^\/_signed-in\/layout\/(?:settings|profile|organization\/\$slug\/(?:domains|integrations|sign-in))/;

export const Route = createRootRouteWithContext<{ session: Session }>()({
  async beforeLoad({ matches }): Promise<{ textsFailure: unknown }> {
    const isAny = (screens: RegExp) => matches.some(({ routeId }) => screens.test(routeId));
    try {
      await loadTexts(
        ...(isAny(laterScreens) ? ['more' as const] : []),
        ...(isAny(settingsScreens) ? ['settings' as const] : []),
      );
      return { textsFailure: null };
    } catch (textsFailure) {
      // An error of the root route would replace the frame, too.
      if (isAny(/^\/_signed-in$/)) return { textsFailure };
      throw textsFailure;
    }
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
  errorComponent: ({ error }) => {
    const { title, message } = useScreenFailure(error);
    return (
      <LinkScreen title={title} logo={useLogo()} action={{ label: t`Reload`, href: window.location.href }}>
        {message}
      </LinkScreen>
    );
  },
});

/** Reads the router's options instead of the route context, because creating the route context may be what has failed. */
function useLogo(): string | null {
  return useRouter().options.context.session.configuration.LogoUrl;
}
