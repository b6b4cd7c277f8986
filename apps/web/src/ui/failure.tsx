import { Trans } from '@lingui/react/macro';
import { Button } from './button.tsx';
import './states.css';

/** What takes the place of something that could not be shown: what happened, what to do, and the reference id (E3). */
export function Failure({
  title,
  message,
  reference,
  onRetry,
}: {
  title: string;
  /** What to do next, in a sentence. */
  message: string;
  /** Finds the log line. */
  reference?: string | undefined;
  /** Offers "Try again". May return a promise. */
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
