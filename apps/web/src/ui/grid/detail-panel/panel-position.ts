import { createContext, use } from 'react';

/** Size of the detail panel, and the rows before and after its row. */
export type DetailPanelPosition = {
  /** The grid is too narrow for a panel beside the rows. */
  fullScreen: boolean;
  /** CSS pixels. */
  width: number;
  /** Ids of the adjacent rows, if loaded. */
  previous: string | undefined;
  next: string | undefined;
  focusRow: () => void;
};

export const DetailPanelContext = createContext<DetailPanelPosition | null>(null);

export function useDetailPanelPosition(): DetailPanelPosition {
  const place = use(DetailPanelContext);
  if (!place) throw new Error('Only beside the rows of a grid.');
  return place;
}
