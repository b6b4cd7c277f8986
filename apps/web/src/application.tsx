/** Creates the router and renders the application in place of the static login screen. */
import { i18n, type I18n } from '@lingui/core';
import { I18nProvider, useLingui } from '@lingui/react';
import { createRouter, RouterProvider } from '@tanstack/react-router';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { addScreens } from 'virtual:extensions';
import { captureReturnResult } from './features/auth/confirm/return-result.ts';
import { isSignedInPath } from './features/auth/storage/return-url.ts';
import type { Session } from './features/auth/session.ts';
import { routeTree } from './route-tree.gen.ts';
import { markScriptFailures, ScreenFailure } from './ui/shell/screen-failure.tsx';
import { isolateRightToLeft } from '@vestibule/contract/texts/isolate';

/** Page transitions slide when this value changes (G2). Screens of signed-in users share one frame and slide inside it. */
const transitionGroup = (path: string) => (isSignedInPath(path) ? 'inside' : path.split('/')[1]);

function createApplicationRouter(session: Session) {
  addScreens(routeTree);
  return createRouter({
    routeTree,
    context: { session },
    scrollRestoration: true,
    defaultPreload: 'intent',
    defaultErrorComponent: FailedRoute,
    // Clicks are lost during a transition, so it runs only when the whole page changes, and not for the first screen.
    defaultViewTransition: {
      types: ({ fromLocation, toLocation }) =>
        fromLocation &&
        transitionGroup(fromLocation.pathname) !== transitionGroup(toLocation.pathname) &&
        !prefersReducedMotion()
          ? ['slide']
          : false,
    },
  });
}

declare module '@tanstack/react-router' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface can extend the library's interface
  interface Register {
    router: ReturnType<typeof createApplicationRouter>;
  }
}

/** Renders the application. With `slide`, it slides in over the login screen. */
export async function showApplication(session: Session, { slide }: { slide: boolean }): Promise<void> {
  const element = document.querySelector('#root');
  if (!element) throw new Error('index.html has no #root');
  markScriptFailures();
  isolateNames();
  captureReturnResult();
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
  if (slide && 'startViewTransition' in document && !prefersReducedMotion())
    document.startViewTransition(render);
  else render();
}

/** Before the sign-in there is no frame: the error replaces the whole page. */
function FailedRoute({ error }: { error: unknown }) {
  if (!isSignedInPath(window.location.pathname)) throw error;
  return <ScreenFailure error={error} />;
}

/** The key remounts everything when the language changes, so that no text of the previous language remains. */
function Application({ router }: { router: ReturnType<typeof createApplicationRouter> }) {
  return <RouterProvider key={useLingui().i18n.locale} router={router} />;
}

function prefersReducedMotion(): boolean {
  return window.matchMedia('(prefers-reduced-motion: reduce)').matches;
}

/** Patches `i18n._`, which returns all translated texts. */
function isolateNames(): void {
  const translate: I18n['_'] = i18n._.bind(i18n);
  i18n._ = ((...args: Parameters<I18n['_']>) => isolateRightToLeft(translate(...args))) as I18n['_'];
}

/**
 * Lets React remove and insert nodes that a translator has moved. Google Translate and similar programs put `<font>` elements in the
 * place of text nodes; React then calls `removeChild` and `insertBefore` with nodes that have another parent, or none, which throws
 * NotFoundError and replaces the screen by an error (https://github.com/facebook/react/issues/11538).
 */
function tolerateTranslatedNodes(): void {
  // oxlint-disable-next-line typescript/unbound-method -- both are called with the `this` of the replacements
  const { removeChild, insertBefore } = Node.prototype;
  Node.prototype.removeChild = function <Child extends Node>(this: Node, child: Child): Child {
    const own = ownChild(this, child);
    if (own) removeChild.call(this, own);
    return child;
  };
  Node.prototype.insertBefore = function <Inserted extends Node>(
    this: Node,
    inserted: Inserted,
    reference: Node | null,
  ): Inserted {
    insertBefore.call(this, inserted, reference && ownChild(this, reference));
    return inserted;
  };
}

/** Returns the child of `parent` that is the node or contains it; null if `parent` does not contain the node. */
function ownChild(parent: Node, node: Node): Node | null {
  let child: Node | null = node;
  while (child && child.parentNode !== parent) child = child.parentNode;
  return child;
}
