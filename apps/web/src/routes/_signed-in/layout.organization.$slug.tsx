/** `/layout/organization/…`: one organization, for its members and for administrators of the site. */
import { t } from '@lingui/core/macro';
import { createFileRoute, Outlet, useRouter } from '@tanstack/react-router';
import type { Opened } from '../../features/organizations/open-organization.ts';
import { SignInNeeded } from '../../features/organizations/sign-in-needed.tsx';
import { OrganizationFrame } from '../../features/organizations/organization-frame.tsx';
import { CallFailure, describeFailure } from '../../language/call-failure.ts';
import { useChanges } from '../../lib/live-changes.ts';
import { Page } from '../../ui/shell/page.tsx';
import { EmptyState, Failure } from '../../ui/states.tsx';

export const Route = createFileRoute('/_signed-in/layout/organization/$slug')({
  // Imported here, because this part of the route belongs to the first script.
  async loader({ params: { slug } }): Promise<Opened> {
    const { loadOrganization } = await import('../../features/organizations/open-organization.ts');
    return loadOrganization(slug);
  },
  component: OrganizationScreens,
});

function OrganizationScreens() {
  const router = useRouter();
  const { user, session } = Route.useRouteContext();
  const opened = Route.useLoaderData();
  // The role of the user may have changed, and with it the tabs.
  useChanges('me', () => void router.invalidate());
  if ('failure' in opened) {
    const isUnknown = opened.failure instanceof CallFailure && opened.failure.status === 404;
    return (
      <Page title={t`Organization`}>
        {isUnknown ? (
          <EmptyState title={t`Organization not found`}>
            {t`It does not exist, or you are not a member of it. Check the address, or ask one of its managers for an invitation.`}
          </EmptyState>
        ) : (
          <Failure
            title={t`This organization could not be opened`}
            {...describeFailure(opened.failure)}
            onRetry={() => router.invalidate()}
          />
        )}
      </Page>
    );
  }
  const { organization } = opened;
  return (
    <OrganizationFrame
      organization={organization}
      isClosed={organization.isSuspended && !user.IsAdmin}
      signIn={<SignInNeeded organization={organization} session={session} />}
    >
      <Outlet />
    </OrganizationFrame>
  );
}
