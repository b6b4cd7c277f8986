/** Definition of an extension's part in the browser. docs/build-a-portal.md explains it. */
import type { MessageDescriptor } from '@lingui/core';
import type { ComponentType } from 'react';
import type { Finder, FinderContext } from '../lib/finder.ts';

/** Imports a module whose default export is a component without props: `() => import('./tickets-screen.tsx')`. */
export type Load = () => Promise<{ default: ComponentType }>;

/** A screen below `/layout/`. */
type Screen = {
  /** Path below `/layout/`, such as `tickets` or `tickets/$ticketId`. */
  path: string;
  load: Load;
  /** Entry of the navigation and of the palette. The dashboard has the order 1, invitations 2, people 3. */
  menu?: { label: MessageDescriptor; order: number; icon: ComponentType<{ size?: number; stroke?: number }> };
  /** `admin`: administrators of the site only. */
  access?: 'admin';
  /** Offers the screen only to users who have this permission in an organization, and to administrators of the site. */
  permission?: string;
  /** Commands of the palette. Each opens the screen with the query parameters in `search`. */
  actions?: readonly {
    label: MessageDescriptor;
    words?: MessageDescriptor;
    search: Record<string, unknown>;
  }[];
  /** Imports a module whose default export returns the search results of the palette. */
  finder?: () => Promise<{ default: (context: FinderContext) => Finder }>;
};

/** A screen of an organization, which `useOrganization` returns. */
type OrganizationScreen = {
  /** Path below the address of the organization, such as `tickets` or `tickets/$ticketId`. */
  path: string;
  load: Load;
  /** Tab in the organization. A screen without one belongs to the tab with the first part of its path. */
  tab?: { label: MessageDescriptor; order: number };
  /** Permission that shows the tab. Without one, every member of the organization sees it. */
  permission?: string;
};

type DashboardCard = {
  id: string;
  /** The component renders one `Card`, or null. */
  load: Load;
  /** Shows the card only to users who have this permission in an organization, and to administrators of the site. */
  permission?: string;
};

/** Lists of the site, which only administrators see. */
export type ListName = 'organizations' | 'people';

/** A column with texts in a list of the site. Users cannot sort, filter or export by it. */
export type ListColumn = {
  list: ListName;
  id: string;
  label: MessageDescriptor;
  /** Returns the texts of the rows with these ids, one page of the list, at most 500. Cells of other ids are empty. */
  load: (ids: readonly string[], signal: AbortSignal) => Promise<Readonly<Record<string, string>>>;
};

export type ExtensionScreens = {
  /** Name of the extension, as in extension.ts. */
  name: string;
  screens?: readonly Screen[];
  organizationScreens?: readonly OrganizationScreen[];
  dashboardCards?: readonly DashboardCard[];
  columns?: readonly ListColumn[];
  /** Labels of audit actions, such as `'ticket.created': msg`Opened the ticket``. */
  activityTexts?: Readonly<Record<string, MessageDescriptor>>;
};

/** Default export of an extension's screens.tsx. */
export const defineScreens = (screens: ExtensionScreens): ExtensionScreens => screens;
