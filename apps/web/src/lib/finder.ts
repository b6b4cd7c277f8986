/**
 * What a screen gives to the command palette: what can be found there and what can be done to it. A route names its finder
 * in `staticData.finder`; it is fetched when the palette opens, and asked only for those who may open the route.
 */
import type { SignInMethod } from '@vestibule/contract/configuration';
import type { UserDetail } from '@vestibule/contract/profile/me';
import type { ComponentType, ReactNode } from 'react';

/** A place of this site, as the router takes it. */
export type Target = { to: string; params?: Record<string, string>; search?: Record<string, unknown> };

/** Something that can be done to a thing that was found, the same way as by its button. */
export type FoundAction = { label: string; onSelect: () => unknown };

/** A thing, where it is, and what can be done to it now. */
export type Found = {
  /** Unlike any other's of any finder. */
  id: string;
  label: string;
  detail?: string | undefined;
  /** Other words by which it is found; for places. */
  words?: string;
  target: Target;
  /** What is typed to mean it, where it is not the label. */
  name?: string;
  actions?: readonly FoundAction[];
};

/** An action by its label, and what narrows the search to the things that it is offered for. */
export type Verb = { label: string; words?: string; filters: readonly object[] };

/** What the palette lends to a finder. */
export type Finding = {
  user: UserDetail;
  /** The site's ways to sign in. */
  ways: readonly SignInMethod[];
  /** Shows a dialog over the screen. */
  show: (dialog: (onClose: () => void) => ReactNode) => void;
  go: (target: Target) => void;
  /** What the kit's list of that name shows is another now. */
  changed: (area: string) => void;
};

export type Finder = {
  title: string;
  icon: ComponentType<{ size?: number; stroke?: number }>;
  /** The first stand first. */
  order: number;
  /** Those that need no server. */
  places?: readonly Found[];
  verbs?: readonly Verb[];
  /** Some that fit; without a text the newest. */
  search?: (
    question: { search?: string; filters?: readonly object[] },
    signal: AbortSignal,
  ) => Promise<Found[]>;
};
