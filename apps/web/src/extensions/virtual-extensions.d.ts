/** Parts of the project's extensions, created by the build (extensions-plugin.ts). */
declare module 'virtual:extensions' {
  import type { AnyRoute } from '@tanstack/react-router';
  import type { ComponentType, ReactNode } from 'react';
  import type { ListName } from './define-screens.ts';
  import type { GridColumn } from '../ui/grid/grid-column.ts';
  import type { FetchPage, GridRow } from '../ui/grid/grid-pages.ts';
  /** Adds the routes of the screens to the generated route tree. */
  export const addScreens: (routeTree: AnyRoute) => void;
  export const DashboardCards: () => ReactNode;
  /** Returns the label of an audit action; undefined for an action that no extension names. */
  export const activityText: (action: string) => string | undefined;
  /** Adds the columns of extensions to those of a list. */
  export const withColumns: <Row>(
    list: ListName,
    columns: readonly GridColumn<Row>[],
  ) => readonly GridColumn<Row>[];
  /** Adds the values of these columns to the rows that `fetchPage` returns. */
  export const withValues: <Row extends GridRow>(list: ListName, fetchPage: FetchPage<Row>) => FetchPage<Row>;
  /** Extensions with settings; `settings` contains the name and the English label of each. */
  export const extensionSettings: readonly {
    name: string;
    label: string;
    settings: readonly (readonly [name: string, label: string])[];
  }[];
  /** Form with the settings of an extension. */
  export const ExtensionSection: ComponentType<{ extension: string; area: `extension-${string}` }>;
}
