import { formatNumber } from '../../language/formats.ts';
import type { RenderChartLink } from './chart.tsx';
import './chart.css';

export type FunnelStage = { label: string; value: number };

/** Horizontal bars that compare each stage with the first one. Must be inside a `Chart`. */
export function FunnelChart<Entry extends FunnelStage>({
  stages,
  renderLink,
}: {
  stages: readonly Entry[];
  renderLink: RenderChartLink<Entry>;
}) {
  const first = stages[0]?.value ?? 0;
  return (
    <ul className="funnel">
      {stages.map((stage) => (
        <li key={stage.label}>
          {renderLink(stage, {
            className: 'funnel-stage',
            children: (
              <>
                <span className="funnel-label">{stage.label}</span>
                <span className="funnel-value">
                  {formatNumber(stage.value)} <small>{formatShare(stage.value, first)}</small>
                </span>
                <svg width="100%" height="14" aria-hidden="true">
                  <rect className="funnel-whole" width="100%" height="14" rx="3" />
                  {stage.value > 0 && (
                    <rect
                      className="funnel-bar"
                      width={`${Math.max(0.5, Math.min(1, stage.value / first) * 100)}%`}
                      height="14"
                      rx="3"
                    />
                  )}
                </svg>
              </>
            ),
          })}
        </li>
      ))}
    </ul>
  );
}

/** Formats a share such as "76 %"; empty if the whole is 0. */
export const formatShare = (value: number, whole: number): string =>
  whole === 0 ? '' : formatNumber(value / whole, { style: 'percent', maximumFractionDigits: 0 });
