import { t } from '@lingui/core/macro';
import { Component, Suspense, type ReactNode } from 'react';
import { describeFailure } from '../../language/call-failure.ts';
import { Failure, Skeleton } from '../states.tsx';
import { Card } from './page.tsx';
import { reloadToRetry } from './screen-failure.tsx';

type Props = {
  children: ReactNode;
  /** Shown while the part is loading. By default a card with a skeleton. */
  fallback?: ReactNode;
  /** Whether the part is a card. An error of another part is shown without one. */
  isCard?: boolean;
};

/** Part of a screen that is loaded on demand. If it fails, an error replaces only the part. */
export class LazyPart extends Component<Props, { failure: { error: unknown } | null }> {
  static getDerivedStateFromError = (error: unknown) => ({ failure: { error } });

  override state = { failure: null as { error: unknown } | null };

  override render() {
    const { children, isCard = true, fallback = <CardSkeleton /> } = this.props;
    const { failure } = this.state;
    if (!failure) return <Suspense fallback={fallback}>{children}</Suspense>;
    const retry = () => reloadToRetry(() => this.setState({ failure: null }));
    const message = (
      <Failure
        title={isCard ? t`This card failed` : t`This part failed`}
        {...describeFailure(failure.error)}
        onRetry={retry}
      />
    );
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
