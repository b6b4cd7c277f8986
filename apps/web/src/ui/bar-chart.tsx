// Bars over time, drawn as SVG that takes the width there is; texts are beside the drawing, so that they keep their size.
import { useState } from 'react';
import { formatNumber } from '../language/formats.ts';
import { axisMaximum } from './chart-axis.ts';
import type { RenderChartLink } from './chart.tsx';
import './chart.css';

/** One bar of a chart, which may know more for its link. */
export interface Bar {
  /** Under the axis, where there is room: "21 Nov". */
  label: string;
  value: number;
  /** The bar in words: "Saturday, 21 November: 7 sign-ins". */
  words: string;
}

const height = 176;
/** How much of its place a bar takes. */
const share = 0.76;

/** Bars beside each other, oldest first. Stands in a `Chart`, which has the same for screen readers and the keyboard. */
export function BarChart<Entry extends Bar>({
  bars,
  summary,
  renderLink,
}: {
  bars: readonly Entry[];
  /** Stands above the bars while the pointer is at none. */
  summary: string;
  renderLink: RenderChartLink<Entry>;
}) {
  const [pointed, setPointed] = useState<number | null>(null);
  const maximum = axisMaximum(Math.max(...bars.map(({ value }) => value)));
  const place = 100 / bars.length;
  return (
    <div className="bar-chart" aria-hidden="true">
      <p className="bar-chart-words">{(pointed !== null && bars[pointed]?.words) || summary}</p>
      <div className="bar-chart-plot">
        <div className="bar-chart-scale">
          {[maximum, maximum / 2, 0].map((value) => (
            <span key={value}>{formatNumber(value)}</span>
          ))}
        </div>
        <svg width="100%" height={height} onPointerLeave={() => setPointed(null)}>
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
                  ? renderLink(bar, { className: 'bar-chart-link', tabIndex: -1, children: drawn })
                  : drawn}
              </g>
            );
          })}
        </svg>
        <div className="bar-chart-labels">
          {[0, Math.floor((bars.length - 1) / 2), bars.length - 1].map((index) => (
            <span key={index}>{bars[index]?.label}</span>
          ))}
        </div>
      </div>
    </div>
  );
}
