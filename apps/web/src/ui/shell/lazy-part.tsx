import { t } from '@lingui/core/macro';
import { Component, Suspense, type ReactNode } from 'react';
import { describeFailure } from '../../language/call-failure.ts';
import { Button } from '../button.tsx';
import { Dialog } from '../dialog/dialog.tsx';
import { Failure, Skeleton } from '../states.tsx';
import { Card } from './page.tsx';
import { reloadToRetry } from './screen-failure.tsx';

type Props = {
  children: ReactNode;
  /** Shown while the part is loading. By default a card with a skeleton; nothing for a dialog. */
  fallback?: ReactNode;
  /** Whether the part is a card. An error of another part is shown without one. */
  isCard?: boolean;
  /** Closes the part, which is a dialog or a side panel. Its error is shown in a dialog. */
  onClose?: (() => void) | undefined;
};

/** Part of a screen that is loaded on demand. If it fails, an error replaces only the part. */
export class LazyPart extends Component<Props, { failure: { error: unknown } | null }> {
  static getDerivedStateFromError = (error: unknown) => ({ failure: { error } });

  override state = { failure: null as { error: unknown } | null };

  override render() {
    const { children, isCard = true, onClose, fallback = onClose ? null : <CardSkeleton /> } = this.props;
    const { failure } = this.state;
    if (!failure) return <Suspense fallback={fallback}>{children}</Suspense>;
    const retry = () => reloadToRetry(() => this.setState({ failure: null }));
    const title = isCard && !onClose ? t`This card failed` : t`This part failed`;
    const details = describeFailure(failure.error);
    if (onClose) {
      const close = () => {
        this.setState({ failure: null });
        onClose();
      };
      const actions = (
        <>
          <Button onClick={close}>{t`Close`}</Button>
          <Button variant="primary" onClick={retry}>{t`Try again`}</Button>
        </>
      );
      return (
        <Dialog title={title} onClose={close} actions={actions}>
          <p role="alert">{details.message}</p>
        </Dialog>
      );
    }
    const message = <Failure title={title} {...details} onRetry={retry} />;
    return isCard ? <Card>{message}</Card> : message;
  }
}

function CardSkeleton() {
  return (
    <Card>
      <Skeleton lines={4} />
    </Card>
  );
}
