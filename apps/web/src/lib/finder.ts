/** Results and actions that a screen provides to the command palette, by its route's `staticData.finder`. */
import type { SignInMethod } from '@vestibule/contract/configuration';
import type { UserDetail } from '@vestibule/contract/profile/me';
import type { ComponentType, ReactNode } from 'react';

export type Target = { to: string; params?: Record<string, string>; search?: Record<string, unknown> };

export type FinderAction = { label: string; onSelect: () => unknown };

/** A search result, its address and its available actions. */
export type FinderResult = {
  /** Unique among all finders. */
  id: string;
  label: string;
  detail?: string | undefined;
  /** Search synonyms, for places. */
  words?: string;
  target: Target;
  /** Text for the search field that lists the actions of the result, if it differs from the label. */
  name?: string;
  actions?: readonly FinderAction[];
};

/** An action by its label, and the filters that find the items it applies to. */
export type Verb = { label: string; words?: string; filters: readonly object[] };

export type FinderContext = {
  user: UserDetail;
  signInMethods: readonly SignInMethod[];
  show: (dialog: (onClose: () => void) => ReactNode) => void;
  go: (target: Target) => void;
  /** Reports a change of the grid with that name. */
  announceChange: (area: string) => void;
};

export type Finder = {
  title: string;
  icon: ComponentType<{ size?: number; stroke?: number }>;
  order: number;
  places?: readonly FinderResult[];
  verbs?: readonly Verb[];
  /** Returns matching items; without a text the newest. */
  search?: (
    query: { search?: string; filters?: readonly object[] },
    signal: AbortSignal,
  ) => Promise<FinderResult[]>;
};
