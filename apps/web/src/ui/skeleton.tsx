import { t } from '@lingui/core/macro';
import './states.css';

/** Grey lines in the place of text that is on its way; screen readers hear `label`. */
export function Skeleton({ lines = 3, label = t`Loading…` }: { lines?: number; label?: string }) {
  return (
    <output className="skeleton">
      <span className="visually-hidden">{label}</span>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} className="skeleton-line" aria-hidden="true" />
      ))}
    </output>
  );
}
