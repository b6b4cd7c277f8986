import { createContext, use } from 'react';

/** How what stands beside the rows finds its place. */
export type BesidePlace = {
  /** There is no room beside the rows: it takes the whole screen. */
  whole: boolean;
  /** Beside the rows. CSS pixels. */
  width: number;
  /** The ids of the rows before and after the one that is shown, where they are loaded. */
  previous: string | undefined;
  next: string | undefined;
  /** Gives the focus to the row. */
  focusRow: () => void;
};

export const BesideContext = createContext<BesidePlace | null>(null);

/** Only in what stands beside the rows of a grid. */
export function useBesidePlace(): BesidePlace {
  const place = use(BesideContext);
  if (!place) throw new Error('Only beside the rows of a grid.');
  return place;
}
