/** Bars over time, drawn as SVG that takes the width there is; texts are beside the drawing, so that they keep their size. */
import { useState, type KeyboardEvent } from 'react';
import { formatNumber } from '../../language/formats.ts';
import { axisMaximum } from './chart-axis.ts';
import type { RenderChartLink } from './chart.tsx';
import './chart.css';

/** One bar of a chart, which may know more for its link. */
export type Bar = {
  /** Under the axis, where there is room: "21 Nov". */
  label: string;
  value: number;
  /** The bar in words: "Saturday, 21 November: 7 sign-ins". */
  words: string;
};

const height = 176;
/** How much of its place a bar takes. */
const share = 0.76;

/**
 * Bars beside each other, oldest first. For the keyboard they are one stop, the latest bar at first: arrow keys, Home and
 * End go from bar to bar, and Enter follows. Stands in a `Chart`, which has the same as a table.
 */
export function BarChart<Entry extends Bar>({
  label,
  bars,
  summary,
  renderLink,
}: {
  /** What the bars are, for screen readers. */
  label: string;
  bars: readonly Entry[];
  /** Stands above the bars while the pointer and the focus are at none. */
  summary: string;
  renderLink: RenderChartLink<Entry>;
}) {
  const [pointed, setPointed] = useState<number | null>(null);
  const [visited, setVisited] = useState<number | null>(null);
  // Only bars of some height lead anywhere.
  const stop =
    visited !== null && bars[visited]?.value ? visited : bars.findLastIndex(({ value }) => value > 0);
  const maximum = axisMaximum(Math.max(...bars.map(({ value }) => value)));
  const place = 100 / bars.length;
  return (
    <div className="bar-chart">
      <p className="bar-chart-words" aria-hidden="true">
        {(pointed !== null && bars[pointed]?.words) || summary}
      </p>
      <div className="bar-chart-plot">
        <div className="bar-chart-scale" aria-hidden="true">
          {[maximum, maximum / 2, 0].map((value) => (
            <span key={value}>{formatNumber(value)}</span>
          ))}
        </div>
        <svg
          width="100%"
          height={height}
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a fieldset is no drawing
          role="group"
          aria-label={label}
          onPointerLeave={() => setPointed(null)}
        >
          {[0.5, height / 2, height - 0.5].map((y) => (
            <line key={y} className="chart-grid" x1="0" x2="100%" y1={y} y2={y} />
          ))}
          {bars.map((bar, index) => {
            const tall = bar.value === 0 ? 0 : Math.max(2, (bar.value / maximum) * height);
            const drawn = (
              <>
                {/* The whole height takes the pointer: a short bar is hard to meet. */}
                <rect
                  className="bar-chart-place"
                  x={`${index * place}%`}
                  width={`${place}%`}
                  height={height}
                />
                <rect
                  className="bar-chart-bar"
                  x={`${(index + (1 - share) / 2) * place}%`}
                  width={`${place * share}%`}
                  y={height - tall}
                  height={tall}
                />
              </>
            );
            return (
              <g key={index} onPointerEnter={() => setPointed(index)}>
                {bar.value > 0
                  ? renderLink(bar, {
                      className: 'bar-chart-link',
                      'aria-label': bar.words,
                      tabIndex: index === stop ? 0 : -1,
                      onFocus: () => {
                        setVisited(index);
                        setPointed(index);
                      },
                      onBlur: () => setPointed(null),
                      onKeyDown: focusBeside,
                      children: drawn,
                    })
                  : drawn}
              </g>
            );
          })}
        </svg>
        <div className="bar-chart-labels" aria-hidden="true">
          {[0, Math.floor((bars.length - 1) / 2), bars.length - 1].map((index) => (
            <span key={index}>{bars[index]?.label}</span>
          ))}
        </div>
      </div>
    </div>
  );
}

/** Arrow keys, Home and End: the focus goes to another bar that leads somewhere. */
function focusBeside(event: KeyboardEvent): void {
  const links = [...(event.currentTarget.closest('svg')?.querySelectorAll('a') ?? [])];
  const at = links.findIndex((link) => link === event.currentTarget);
  const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: links.length - 1 }[event.key];
  if (next === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  links[next]?.focus();
}
