/** The application itself: the router, in the place of the static login screen. */
import { i18n } from '@lingui/core';
import { I18nProvider, useLingui } from '@lingui/react';
import { createRouter, RouterProvider } from '@tanstack/react-router';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { takeOutcome } from './features/auth/confirm/return-result.ts';
import { isSignedInPath } from './features/auth/storage/return-url.ts';
import type { Session } from './features/auth/session.ts';
import { tolerateTranslatedNodes } from './lib/translated-page.ts';
import { isolateNames } from './language/isolate-names.ts';
import { routeTree } from './route-tree.gen.ts';

/** What slides as a whole when it changes (G2). Behind the door the frame stays, and each screen slides by itself. */
const placeOf = (path: string) => (isSignedInPath(path) ? 'inside' : path.split('/')[1]);

function createApplicationRouter(session: Session) {
  return createRouter({
    routeTree,
    context: { session },
    scrollRestoration: true,
    defaultPreload: 'intent',
    // While a transition runs clicks are lost, so only where the whole page changes, and never for the first screen.
    defaultViewTransition: {
      types: ({ fromLocation, toLocation }) =>
        fromLocation && placeOf(fromLocation.pathname) !== placeOf(toLocation.pathname) && !wantsStillness()
          ? ['slide']
          : false,
    },
  });
}

declare module '@tanstack/react-router' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface adds to the library's
  interface Register {
    router: ReturnType<typeof createApplicationRouter>;
  }
}

/** Shows the application at the page's address; `slide` when it takes the place of the login screen. */
export async function showApplication(session: Session, { slide }: { slide: boolean }): Promise<void> {
  const element = document.querySelector('#root');
  if (!element) throw new Error('index.html has no #root');
  isolateNames();
  takeOutcome();
  tolerateTranslatedNodes();
  const router = createApplicationRouter(session);
  await router.load();
  const render = () =>
    flushSync(() =>
      createRoot(element).render(
        <I18nProvider i18n={i18n}>
          <Application router={router} />
        </I18nProvider>,
      ),
    );
  if (slide && 'startViewTransition' in document && !wantsStillness()) document.startViewTransition(render);
  else render();
}

/** A language of its own is a screen of its own: nothing that was said in another one stays behind. */
function Application({ router }: { router: ReturnType<typeof createApplicationRouter> }) {
  return <RouterProvider key={useLingui().i18n.locale} router={router} />;
}

function wantsStillness(): boolean {
  return window.matchMedia('(prefers-reduced-motion: reduce)').matches;
}
