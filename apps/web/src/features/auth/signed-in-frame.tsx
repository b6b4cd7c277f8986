/** What a signed-in person sees around every screen: navigation, their menu, and what happens when the server refuses. */
import { i18n, type MessageDescriptor } from '@lingui/core';
import { t } from '@lingui/core/macro';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { Link, useRouter, useRouterState } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef, useState, type ComponentType, type ReactNode } from 'react';
import '../../lib/user-activity.ts';
import { describeFailure } from '../../language/call-failure.ts';
import { watchRefusals } from '../../lib/call.ts';
import { followChanges } from '../../lib/live-changes.ts';
import { Shell } from '../../ui/shell/shell.tsx';
import { toast, ToastRegion } from '../../ui/toast/toast.tsx';
import { tellOutcome } from './confirm/return-result.ts';
import { takeMove } from './identity-migration/pending-migration.ts';
import { reasonToLeave, type Session } from './session.ts';
import { takeInvitation } from './sign-up/pending-invitation.ts';

declare module '@tanstack/react-router' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface adds to the library's
  interface StaticDataRouteOption {
    /** The route's entry in the navigation; `order` sorts the entries. */
    menu?: {
      label: MessageDescriptor;
      order: number;
      icon: ComponentType<{ size?: number; stroke?: number }>;
      /** Stands in the person's menu instead. */
      isPersonal?: true;
    };
  }
}

const queryClient = new QueryClient({
  defaultOptions: { queries: { retry: false, staleTime: 10_000 } },
});

export function SignedInFrame({
  session,
  tools,
  children,
}: {
  session: Session;
  /** What stands at the top beside the person's menu. */
  tools?: ReactNode;
  children: ReactNode;
}) {
  const router = useRouter();
  // Of the screen that is shown, which is the match under this frame: sections of one screen are one, and the address is
  // ahead of it while the next screen's program loads.
  const path = useRouterState({
    select: ({ matches, location }) => matches[2]?.pathname ?? location.pathname,
  });
  const isLeaving = useRouterState({
    select: ({ status, location, resolvedLocation }) =>
      status === 'pending' &&
      resolvedLocation !== undefined &&
      location.pathname !== resolvedLocation.pathname,
  });
  const user = session.user();
  const [dialog, setDialog] = useState<ReactNode>(null);
  const asking = useRef<Promise<boolean> | null>(null);

  /** Asks once, however many calls were refused. */
  const askToConfirm = useEffectEvent((): Promise<boolean> => {
    asking.current ??= confirmIn(session, setDialog).finally(() => {
      asking.current = null;
      setDialog(null);
    });
    return asking.current;
  });
  useEffect(() => {
    tellOutcome();
    // Whoever is inside is under way no more.
    takeInvitation();
    takeMove();
  }, []);

  useEffect(() => {
    watchRefusals(async (failure) => {
      if (failure.code === 'sign_in.not_fresh') return askToConfirm();
      // Disabled, removed: out, with the reason (C6, F6). Not an administrator any more: what they may do has changed.
      if (failure.code.startsWith('person.') && failure.code !== 'person.not_found')
        void session.signOut({ error: reasonToLeave(failure) });
      else void session.loadUser().then(() => router.invalidate());
      return false;
    });
    // The kept user data may be old; the server's answer decides what the menu shows.
    const look = async () => {
      const before = JSON.stringify(session.user());
      await session.loadUser();
      if (JSON.stringify(session.user()) !== before) await router.invalidate();
    };
    look().catch(() => {});
    // Followed by every tab, so that whoever is refused from now on hears it at once, without touching anything (F6).
    const stopFollowing = followChanges(['me'], () => {
      look().catch(() => {});
    });
    return () => {
      stopFollowing();
      watchRefusals(null);
    };
  }, [session, router]);

  const menu = Object.values(router.routesByPath)
    .map((route) => ({ to: route.fullPath, ...route.options.staticData }))
    .filter(({ access }) => access !== 'admin' || user?.IsAdmin === true)
    .flatMap(({ to, menu: entry }) => (entry && !entry.isPersonal ? [{ to, ...entry }] : []))
    .toSorted((one, other) => one.order - other.order)
    .map(({ to, label, icon: Icon }) => ({
      to,
      label: i18n._(label),
      icon: <Icon size={20} stroke={1.75} />,
    }));

  return (
    <QueryClientProvider client={queryClient}>
      <Shell
        productName={session.configuration.ProductName}
        logo={session.configuration.LogoUrl}
        menu={menu}
        tools={tools}
        renderLink={({ to, className, onClick, children: content }) => (
          <Link key={to} to={to} className={className} {...(onClick && { onClick })}>
            {content}
          </Link>
        )}
        routePath={path}
        isLeaving={isLeaving}
        person={{ name: user?.DisplayName ?? '', email: user?.Email ?? '' }}
        onProfile={() => void router.navigate({ to: '/layout/profile' })}
        onSignOut={() => void signOut(session)}
      >
        {children}
      </Shell>
      {dialog}
      <ToastRegion />
    </QueryClientProvider>
  );
}

/** Signs out; where that fails they are still inside, and told so. */
export const signOut = (session: Session): Promise<void> =>
  session.signOut().catch((error: unknown) => {
    toast.failure(describeFailure(error), {
      action: { label: t`Try again`, onClick: () => signOut(session) },
    });
  });

/** Whether somebody has confirmed that it is them. Who needs the dialog loads it. */
async function confirmIn(session: Session, show: (dialog: ReactNode) => void): Promise<boolean> {
  try {
    const { FreshSignInDialog } = await import('./confirm/confirm-dialog.tsx');
    return await new Promise((resolve) => show(<FreshSignInDialog session={session} onClose={resolve} />));
  } catch {
    // It cannot be had: the refusal's own sentence says what to do.
    return false;
  }
}
