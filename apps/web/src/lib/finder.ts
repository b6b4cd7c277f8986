/** Search results that a screen provides to the command palette, by its route's `staticData.finder`. */
import type { SignInMethod } from '@vestibule/contract/configuration';
import type { ComponentType } from 'react';

/** Address of a screen, or the URL of another site. */
type Target =
  | { to: string; params?: Record<string, string>; search?: Record<string, unknown> }
  | { href: string };

export type FinderResult = {
  /** Unique among all finders. */
  id: string;
  label: string;
  detail?: string | undefined;
  /** Search synonyms, only used for `places`. */
  words?: string;
  target: Target;
};

export type FinderContext = { signInMethods: readonly SignInMethod[] };

export type Finder = {
  title: string;
  icon: ComponentType<{ size?: number; stroke?: number }>;
  order: number;
  /** Results that need no server, such as the sections of a screen. */
  places?: readonly FinderResult[];
  /** Returns items that match a text of at least two characters. */
  search?: (text: string, signal: AbortSignal) => Promise<FinderResult[]>;
};
