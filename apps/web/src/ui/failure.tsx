import { Trans } from '@lingui/react/macro';
import { Button } from './button.tsx';
import './states.css';

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
      {onRetry && (
        <Button onClick={onRetry}>
          <Trans>Try again</Trans>
        </Button>
      )}
      {reference && (
        <span className="reference">
          <Trans>Reference {reference}</Trans>
        </span>
      )}
    </div>
  );
}
