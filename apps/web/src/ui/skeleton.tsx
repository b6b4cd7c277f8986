import { t } from '@lingui/core/macro';
import './states.css';

/** Placeholder for text that is loading. Screen readers announce `label`. */
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
