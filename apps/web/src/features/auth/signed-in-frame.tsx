/** The frame around all screens of a signed-in user: navigation, user menu, and the reaction to refused calls. */
import { i18n, type MessageDescriptor } from '@lingui/core';
import { t } from '@lingui/core/macro';
import { IconBuilding } from '@tabler/icons-react';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { Link, useRouter, useRouterState } from '@tanstack/react-router';
import { listMyOrganizations } from '@vestibule/contract/organizations/mine';
import { useEffect, useEffectEvent, useRef, useState, type ComponentType, type ReactNode } from 'react';
import '../../lib/user-activity.ts';
import { describeFailure } from '../../language/call-failure.ts';
import { watchRefusals } from '../../lib/call.ts';
import { followChanges } from '../../lib/live-changes.ts';
import { operatorLinks } from '../../lib/operator-links.ts';
import { retryReads } from '../../lib/retry-reads.ts';
import { useOfferedScreens } from '../../lib/offered-screens.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { Shell } from '../../ui/shell/shell.tsx';
import { toast, ToastRegion } from '../../ui/toast/toast.tsx';
import { showReturnResult } from './confirm/return-result.ts';
import { toSignOutReason, type Session } from './session.ts';
import { takeStored } from './storage/storage.ts';

declare module '@tanstack/react-router' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface can extend the library's interface
  interface StaticDataRouteOption {
    /** Navigation entry, sorted by `order`. */
    menu?: {
      label: MessageDescriptor;
      order: number;
      icon: ComponentType<{ size?: number; stroke?: number }>;
      /** Shows the entry in the user menu instead of the navigation. */
      isPersonal?: true;
      /** Hides the entry until the first organization exists. */
      needsOrganizations?: true;
    };
  }
}

const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 10_000 } } });

type FrameProps = {
  session: Session;
  /** Elements beside the user menu. */
  tools?: ReactNode;
  children: ReactNode;
};

export function SignedInFrame(props: FrameProps) {
  return (
    <QueryClientProvider client={queryClient}>
      <Frame {...props} />
    </QueryClientProvider>
  );
}

function Frame({ session, tools, children }: FrameProps) {
  const router = useRouter();
  // Uses the path of the rendered match: all sections of a screen share it, and the location changes before the next screen is loaded.
  const path = useRouterState({
    select: ({ matches, location }) => matches[2]?.pathname ?? location.pathname,
  });
  const isNavigating = useRouterState({
    select: ({ status, location, resolvedLocation }) =>
      status === 'pending' &&
      resolvedLocation !== undefined &&
      location.pathname !== resolvedLocation.pathname,
  });
  const user = session.user();
  const [dialog, setDialog] = useState<ReactNode>(null);
  const pendingDialog = useRef<Promise<boolean> | null>(null);

  /** Shows one dialog for any number of refused calls. */
  const requestConfirmation = useEffectEvent((): Promise<boolean> => {
    pendingDialog.current ??= requestRecentSignIn(session, setDialog).finally(() => {
      pendingDialog.current = null;
      setDialog(null);
    });
    return pendingDialog.current;
  });
  useEffect(() => {
    showReturnResult();
    takeStored('invitationUnderWay');
    takeStored('moveUnderWay');
  }, []);

  useEffect(() => {
    watchRefusals(async (failure) => {
      if (failure.code === 'sign_in.not_fresh') return requestConfirmation();
      // `person.…`: disabled or removed, so sign out with the reason (C6, F6). Otherwise the role has changed.
      if (failure.code.startsWith('person.') && failure.code !== 'person.not_found')
        void session.signOut({ error: toSignOutReason(failure) });
      else void session.loadUser().then(() => router.invalidate());
      return false;
    });
    let notice = 0;
    const stopRetrying = retryReads((isWaiting) => {
      if (isWaiting) notice = toast.progress(t`The server is unavailable right now. Trying again…`);
      else toast.close(notice);
    });
    // Stored user data may be outdated.
    const refreshUser = async () => {
      const before = JSON.stringify(session.user());
      await session.loadUser();
      if (JSON.stringify(session.user()) !== before) await router.invalidate();
    };
    refreshUser().catch(() => {});
    // Every tab follows changes, so that a refused user is signed out immediately (F6).
    const stopFollowing = followChanges(['me'], () => {
      refreshUser().catch(() => {});
    });
    return () => {
      stopFollowing();
      watchRefusals(null);
      stopRetrying();
    };
  }, [session, router]);

  const { HasOrganizations: hasOrganizations } = session.configuration;
  const organizations = useOrganizationEntries(hasOrganizations);
  const screens = useOfferedScreens(user)
    .flatMap(({ to, menu: entry }) => (entry && !entry.isPersonal ? [{ to, ...entry }] : []))
    .toSorted((a, b) => a.order - b.order)
    .map(({ to, label, icon: Icon }) => ({
      to,
      label: i18n._(label),
      icon: <Icon size={20} stroke={1.75} />,
    }));

  return (
    <>
      <Shell
        productName={session.configuration.ProductName}
        logo={session.configuration.LogoUrl}
        menu={[...screens, ...organizations]}
        links={operatorLinks(session.configuration)}
        tools={tools}
        renderLink={({ to, className, onClick, children: content }) => (
          <Link key={to} to={to} className={className} {...(onClick && { onClick })}>
            {content}
          </Link>
        )}
        routePath={path}
        isLeaving={isNavigating}
        person={{ name: user?.DisplayName ?? '', email: user?.Email ?? '' }}
        onProfile={() => void router.navigate({ to: '/layout/profile' })}
        onSignOut={() => void signOut(session)}
      >
        {children}
      </Shell>
      {dialog}
      <ToastRegion />
    </>
  );
}

const shownOrganizations = 5;

/** Returns navigation entries of the user's first organizations. The profile lists all. */
function useOrganizationEntries(enabled: boolean) {
  const mine = useApiQuery(listMyOrganizations, { key: ['my organizations'], enabled });
  return (mine.data?.rows ?? []).slice(0, shownOrganizations).map(({ name, slug }) => ({
    to: `/layout/organization/${slug}`,
    label: name,
    icon: <IconBuilding size={20} stroke={1.75} />,
  }));
}

/** Signs out; a failure leaves the user signed in and shows a toast. */
const signOut = (session: Session): Promise<void> =>
  session.signOut().catch((error: unknown) => {
    toast.failure(describeFailure(error), {
      action: { label: t`Try again`, onClick: () => signOut(session) },
    });
  });

/** Returns whether the user has confirmed their identity. */
async function requestRecentSignIn(session: Session, show: (dialog: ReactNode) => void): Promise<boolean> {
  try {
    const { RecentSignInDialog } = await import('./confirm/confirm-dialog.tsx');
    return await new Promise((resolve) => show(<RecentSignInDialog session={session} onClose={resolve} />));
  } catch {
    // The dialog could not be loaded; the refusal's message is shown instead.
    return false;
  }
}
