/** Empty, failed and loading content. */
import './states.css';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { t } from '@lingui/core/macro';
import { describeFailure } from '../language/call-failure.ts';

/** Message for an empty list, with an action. */
export function EmptyState({
  icon,
  title,
  children,
  action,
}: {
  icon?: ReactNode;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="state">
      {icon && <div className="state-icon">{icon}</div>}
      <p className="state-title">{title}</p>
      {children && <div className="state-text">{children}</div>}
      {action}
    </div>
  );
}

/** Error in place of content (E3). */
export function Failure({
  title,
  message,
  reference,
  onRetry,
}: {
  title: string;
  /** Sentence that says what to do next. */
  message: string;
  /** Reference id of the log entry. */
  reference?: string | undefined;
  /** Adds a "Try again" button. May return a promise. */
  onRetry?: (() => unknown) | undefined;
}) {
  return (
    <div className="state" role="alert">
      <p className="state-title">{title}</p>
      <div className="state-text">{message}</div>
      {onRetry && <Button onClick={onRetry}>{t`Try again`}</Button>}
      {reference && <span className="reference">{t`Reference ${reference}`}</span>}
    </div>
  );
}

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

/** Skeleton while a query is loading, or its error with a retry button. */
export function Loading({
  query: { data, error, refetch },
  title,
  lines,
}: {
  query: { data: unknown; error: unknown; refetch: () => Promise<unknown> };
  /** Title of the error. */
  title: string;
  lines: number;
}) {
  if (data !== undefined) return null;
  if (!error) return <Skeleton lines={lines} />;
  return <Failure title={title} {...describeFailure(error)} onRetry={() => refetch()} />;
}
