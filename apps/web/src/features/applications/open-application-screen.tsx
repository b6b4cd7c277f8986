import { t } from '@lingui/core/macro';
import { useEffect } from 'react';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/shell/page.tsx';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { runWithErrorToast } from '../../ui/toast/toast.tsx';

/**
 * Continues to an application after the sign-in, at the address of the server that gives access to it. The query names the application;
 * `another` offers to change the account first. The fragment is that of the application's page, which browsers keep during redirects.
 */
export function OpenApplicationScreen({
  email,
  signOut,
}: {
  email: string;
  signOut: (after: { returnUrl: string }) => Promise<void>;
}) {
  const { search } = window.location;
  const isSwitching = new URLSearchParams(search).has('another');
  useEffect(() => {
    if (isSwitching) return;
    const query = new URLSearchParams(search);
    query.set('signedIn', '1');
    if (window.location.hash) query.set('fragment', window.location.hash);
    window.location.replace(`/applications/start?${query}`);
  }, [isSwitching, search]);
  if (!isSwitching) return <Skeleton />;
  const later = new URLSearchParams(search);
  later.delete('another');
  return (
    <Page title={t`Use another account`}>
      <EmptyState
        title={t`You are signed in as ${email}`}
        action={
          <Button
            variant="primary"
            onClick={() =>
              runWithErrorToast(() => signOut({ returnUrl: `/layout/open-application?${later}` }))
            }
          >
            {t`Sign out and continue`}
          </Button>
        }
      >
        {t`Then sign in with the account that may use the application.`}
      </EmptyState>
    </Page>
  );
}
