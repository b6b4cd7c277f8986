import { t } from '@lingui/core/macro';
import { useEffect, useRef } from 'react';
import { formatNumber } from '../../../language/formats.ts';
import type { TabCounts } from './use-tab-counts.ts';
import './tabs.css';

/** A frequently used part of a list. */
export type GridTab = { id: string; label: string };

/** Toggle buttons of the tabs with their counts. They scroll horizontally on narrow screens. */
export function GridTabs({
  label,
  tabs,
  counts,
  current,
  onShow,
}: {
  /** Name of the list. */
  label: string;
  tabs: readonly GridTab[];
  counts: TabCounts;
  current: string | undefined;
  onShow: (tab: string | undefined) => void;
}) {
  const line = useRef<HTMLFieldSetElement>(null);
  // Unlike `scrollIntoView`, this never scrolls the page.
  useEffect(() => {
    const [box, pressed] = [
      line.current,
      line.current?.querySelector<HTMLElement>(`[value='${current ?? ''}']`),
    ];
    if (box && pressed) box.scrollLeft = pressed.offsetLeft - (box.clientWidth - pressed.offsetWidth) / 2;
  }, [current]);
  if (tabs.length === 0) return null;
  return (
    <fieldset className="grid-tabs" ref={line} aria-label={t`${label}: which ones`}>
      {[{ id: undefined, label: t`All` }, ...tabs].map((tab) => {
        const counted = counts[tab.id ?? 'all'];
        return (
          <button
            key={tab.id ?? ''}
            type="button"
            value={tab.id ?? ''}
            className="grid-tab"
            aria-pressed={tab.id === current}
            onClick={() => onShow(tab.id)}
          >
            {tab.label}
            {/* A figure space reserves the width of the count. */}
            <span className="grid-tab-count small-print">
              {counted ? `${formatNumber(counted.count)}${counted.more ? '+' : ''}` : '\u2007'}
            </span>
          </button>
        );
      })}
    </fieldset>
  );
}
