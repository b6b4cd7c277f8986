/** `/layout/organization/…`: one organization, for its members and for administrators of the site. */
import { t } from '@lingui/core/macro';
import { createFileRoute, Outlet, useRouter } from '@tanstack/react-router';
import { openOrganization } from '@vestibule/contract/organizations';
import { OrganizationFrame } from '../../features/organizations/organization-frame.tsx';
import { roleName } from '../../features/organizations/organization-texts.ts';
import { CallFailure, describeFailure } from '../../language/call-failure.ts';
import { rememberOrganization, type ActiveOrganization } from '../../lib/active-organization.ts';
import { call } from '../../lib/call.ts';
import { Page } from '../../ui/shell/page.tsx';
import { EmptyState, Failure } from '../../ui/states.tsx';

type Opened = { organization: ActiveOrganization } | { failure: unknown };

export const Route = createFileRoute('/_signed-in/layout/organization/$slug')({
  loader: ({ params: { slug } }): Promise<Opened> => load(slug),
  component: OrganizationScreens,
});

async function load(slug: string): Promise<Opened> {
  try {
    const { roles, ...opened } = await call(openOrganization, { params: { slug } });
    const organization = {
      ...opened,
      roles: roles.map(({ id, name, mayGive }) => ({ id, label: roleName(id, name), mayGive })),
    };
    rememberOrganization(organization);
    return { organization };
  } catch (failure) {
    return { failure };
  }
}

function OrganizationScreens() {
  const router = useRouter();
  const { user } = Route.useRouteContext();
  const opened = Route.useLoaderData();
  if ('failure' in opened) {
    const isUnknown = opened.failure instanceof CallFailure && opened.failure.status === 404;
    return (
      <Page title={t`Organization`}>
        {isUnknown ? (
          <EmptyState title={t`There is no such organization for you`}>
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
    <OrganizationFrame organization={organization} isClosed={organization.isSuspended && !user.IsAdmin}>
      <Outlet />
    </OrganizationFrame>
  );
}
