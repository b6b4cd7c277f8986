/** Parts of the project's extensions, created by the build (extensions-plugin.ts). */
declare module 'virtual:extensions' {
  import type { AnyRoute } from '@tanstack/react-router';
  import type { ComponentType, ReactNode } from 'react';
  /** Adds the routes of the screens to the generated route tree. */
  export const addScreens: (routeTree: AnyRoute) => void;
  export const DashboardCards: () => ReactNode;
  /** Returns the label of an audit action; undefined for an action that no extension names. */
  export const activityText: (action: string) => string | undefined;
  /** Extensions with settings; `settings` contains the name and the English label of each. */
  export const extensionSettings: readonly {
    name: string;
    label: string;
    settings: readonly (readonly [name: string, label: string])[];
  }[];
  /** Form with the settings of an extension. */
  export const ExtensionSection: ComponentType<{ extension: string; area: `extension-${string}` }>;
}
