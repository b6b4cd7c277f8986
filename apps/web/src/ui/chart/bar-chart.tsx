/** Bar chart of values over time, as an SVG of variable width. Texts are outside of the SVG, so that they are not scaled. */
import { useState, type KeyboardEvent } from 'react';
import { formatNumber } from '../../language/formats.ts';
import type { RenderChartLink } from './chart.tsx';
import './chart.css';

export type Bar = {
  /** Axis label, where there is space: "21 Nov". */
  label: string;
  value: number;
  /** Description: "Saturday, 21 November: 7 sign-ins". */
  words: string;
};

const height = 176;
/** Share of the available width that a bar uses. */
const barShare = 0.76;

/** Oldest bar first. One tab stop: arrow keys, Home and End move between the bars with links. Must be inside a `Chart`. */
export function BarChart<Entry extends Bar>({
  label,
  bars,
  summary,
  renderLink,
}: {
  /** Accessible name. */
  label: string;
  bars: readonly Entry[];
  /** Shown unless a bar has the pointer or the focus. */
  summary: string;
  renderLink: RenderChartLink<Entry>;
}) {
  const [pointed, setPointed] = useState<number | null>(null);
  const [visited, setVisited] = useState<number | null>(null);
  // Bars without a value have no link.
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
            const barHeight = bar.value === 0 ? 0 : Math.max(2, (bar.value / maximum) * height);
            const drawn = (
              <>
                {/* The pointer area has the full height, because short bars are hard to hit. */}
                <rect
                  className="bar-chart-place"
                  x={`${index * place}%`}
                  width={`${place}%`}
                  height={height}
                />
                <rect
                  className="bar-chart-bar"
                  x={`${(index + (1 - barShare) / 2) * place}%`}
                  width={`${place * barShare}%`}
                  y={height - barHeight}
                  height={barHeight}
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
                      onKeyDown: focusAdjacentBar,
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

function focusAdjacentBar(event: KeyboardEvent): void {
  const links = [...(event.currentTarget.closest('svg')?.querySelectorAll('a') ?? [])];
  const at = links.findIndex((link) => link === event.currentTarget);
  const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: links.length - 1 }[event.key];
  if (next === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  links[next]?.focus();
}

/** Returns the end of an axis that starts at 0: the smallest number not below the value that is 2, 4, 6, 8 or 10 times a power of ten. */
export function axisMaximum(value: number): number {
  let unit = 1;
  while (unit * 10 < value) unit *= 10;
  return Math.max(1, Math.ceil(value / (2 * unit))) * 2 * unit;
}
