/** Adds the screens, cards and texts of extensions to the application. Only part of builds with extensions (extensions-plugin.ts). */
import { i18n } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { createRoute, lazyRouteComponent, useRouteContext, type AnyRoute } from '@tanstack/react-router';
import { lazy, type ComponentType } from 'react';
import type * as Extensions from 'virtual:extensions';
import { useHasPermission } from '../lib/offered-screens.ts';
import { readGridAddress } from '../ui/grid/grid-address.ts';
import { LazyPart } from '../ui/shell/lazy-part.tsx';
import type { ExtensionScreens, Load } from './define-screens.ts';
import { createListColumns } from './list-columns.ts';

/** Everything except the settings, which the build knows. */
type Created = Omit<typeof Extensions, 'extensionSettings' | 'ExtensionSection'>;

export default function createExtensions(extensions: readonly ExtensionScreens[]): Created {
  const cards = extensions.flatMap(({ name, dashboardCards = [] }) =>
    dashboardCards.map(({ id, load, permission }) => ({
      id: `${name}/${id}`,
      permission,
      Content: createCard(load),
    })),
  );
  const activityTexts = new Map([
    ['extension.settings_changed', msg`Changed settings`],
    ...extensions.flatMap((extension) => Object.entries(extension.activityTexts ?? {})),
  ]);

  return {
    ...createListColumns(extensions),

    addScreens(routeTree) {
      const signedIn = childOf(routeTree, '/_signed-in');
      addRoutes(
        signedIn,
        extensions.flatMap(({ screens = [] }) =>
          screens.map(({ path, load, ...staticData }) => ({ path: `layout/${path}`, load, staticData })),
        ),
      );
      addRoutes(
        childOf(signedIn, '/layout/organization/$slug'),
        extensions.flatMap(({ organizationScreens = [] }) =>
          organizationScreens.map(({ path, load, tab, permission }) => ({
            path,
            load,
            staticData: tab ? { organizationTab: { ...tab, ...(permission && { permission }) } } : {},
          })),
        ),
      );
    },

    DashboardCards() {
      const { user } = useRouteContext({ from: '/_signed-in' });
      const hasPermission = useHasPermission(user);
      return cards
        .filter(({ permission }) => hasPermission(permission))
        .map(({ id, Content }) => <Content key={id} />);
    },

    activityText(action) {
      const text = activityTexts.get(action);
      return text && i18n._(text);
    },
  };
}

type ScreenRoute = { path: string; load: Load; staticData: object };

function addRoutes(parent: AnyRoute, screens: readonly ScreenRoute[]): void {
  const routes = screens.map(({ path, load, staticData }) =>
    createRoute({
      getParentRoute: () => parent,
      path,
      staticData,
      validateSearch: (search: Record<string, unknown>) => ({ ...search, ...readGridAddress(search) }),
      component: lazyRouteComponent(load as never),
    }),
  );
  parent.addChildren([...children(parent), ...routes]);
}

const children = (route: AnyRoute): AnyRoute[] => Object.values((route.children ?? []) as object);

function childOf(route: AnyRoute, id: string): AnyRoute {
  const found = children(route).find((child) => String((child.options as { id?: string }).id).endsWith(id));
  if (!found) throw new Error(`There is no route ${id}.`);
  return found;
}

function createCard(load: Load): ComponentType {
  const Content = lazy(load);
  return () => (
    <LazyPart>
      <Content />
    </LazyPart>
  );
}
