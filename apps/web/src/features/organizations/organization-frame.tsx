/** Frame of the screens of one organization: its name, a switcher between the user's organizations, and tabs by permission. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconChevronDown } from '@tabler/icons-react';
import { Link, useNavigate, useRouterState, useRouter } from '@tanstack/react-router';
import { listMyOrganizations, type OpenOrganization } from '@vestibule/contract/organizations/mine';
import { createContext, use, useEffect, useRef, type ReactNode } from 'react';
import type { ActiveOrganization } from '../../lib/active-organization.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { Button } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu/menu.tsx';
import { Page, PageSurroundings } from '../../ui/shell/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Moment } from '../../ui/time/moment.tsx';
import { ManagerList } from './manager-list.tsx';
import '../../ui/tabs.css';
import './organizations.css';
import { i18n, type MessageDescriptor } from '@lingui/core';

type Organization = Pick<
  OpenOrganization,
  'organizationId' | 'name' | 'slug' | 'logo' | 'permissions' | 'managers'
>;

const OrganizationContext = createContext<ActiveOrganization | null>(null);

export function useOrganization(): ActiveOrganization {
  const organization = use(OrganizationContext);
  if (!organization) throw new Error('This screen belongs into OrganizationFrame.');
  return organization;
}

export function OrganizationFrame({
  organization,
  isClosed,
  signIn,
  children,
}: {
  organization: ActiveOrganization;
  /** The organization is suspended and the user is no administrator of the site. */
  isClosed: boolean;
  /** Shown instead of the screens if the organization requires another sign-in. */
  signIn: ReactNode;
  children: ReactNode;
}) {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const current = tabOf(path);
  const tabs = useRef<HTMLElement>(null);
  // On a phone, the tabs are wider than the screen.
  useEffect(() => {
    if (current !== undefined)
      tabs.current
        ?.querySelector('[aria-current="page"]')
        ?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [current]);
  const shown = useOrganizationTabs().filter(({ isShown }) => isShown(organization));
  const isMissing = current !== undefined && !shown.some(({ id }) => id === current);
  const around = {
    title: organization.name,
    above: (
      <>
        <div className="organization-head">
          <OrganizationSwitcher organization={organization} tab={current} />
          {!isClosed && !organization.isSignInNeeded && (
            <nav ref={tabs} aria-label={t`Organization`} className="tabs">
              {shown.map(({ id, to, label }) => (
                <Link
                  key={id}
                  to={to}
                  params={{ slug: organization.slug }}
                  className="tab"
                  activeOptions={{ includeSearch: false }}
                >
                  {label}
                </Link>
              ))}
            </nav>
          )}
        </div>
        {!isClosed && organization.isSuspended && (
          <p>{t`This organization is suspended or has expired: its members have no access, and people cannot be invited to it.`}</p>
        )}
        {!isClosed && <ExpiryNote organization={organization} />}
      </>
    ),
  };
  return (
    <PageSurroundings value={around}>
      {isClosed && (
        <Page title={t`Suspended`}>
          <EmptyState title={t`This organization is suspended`}>
            {t`Its members have no access at present. Ask the administrators of this site.`}
          </EmptyState>
        </Page>
      )}
      {!isClosed && organization.isSignInNeeded && signIn}
      {!isClosed && !organization.isSignInNeeded && isMissing && (
        <Page title={t`No permission`}>
          <p>{t`Your role does not include this page. Ask a manager of the organization:`}</p>
          <ManagerList managers={organization.managers} />
        </Page>
      )}
      {!isClosed && !organization.isSignInNeeded && !isMissing && (
        <OrganizationContext value={organization}>{children}</OrganizationContext>
      )}
    </PageSurroundings>
  );
}

const warningMs = 14 * 86_400_000;

function isWithinWarning(expiresAt: string): boolean {
  const remainingMs = Date.parse(expiresAt) - Date.now();
  return remainingMs > 0 && remainingMs <= warningMs;
}

/** Tells the managers in the last two weeks that the organization expires. */
function ExpiryNote({ organization: { roleId, expiresAt } }: { organization: ActiveOrganization }) {
  const isManager = roleId === null || roleId === 'manager';
  if (!isManager || expiresAt === null || !isWithinWarning(expiresAt)) return null;
  return (
    <p>
      <Trans>
        This organization expires <Moment at={expiresAt} ends />. After that, its members have no access. The
        administrators of this site can extend it.
      </Trans>
    </p>
  );
}

/** Opens the first tab that the user may see. */
export function FirstTab() {
  const navigate = useNavigate();
  const organization = useOrganization();
  const { slug } = organization;
  const to = useOrganizationTabs().find(({ isShown }) => isShown(organization))?.to;
  useEffect(() => {
    if (to) void navigate({ to, params: { slug }, replace: true });
  }, [navigate, to, slug]);
  return null;
}

/** Menu that opens the same tab of another organization; only the name if the user has no other organization. */
function OrganizationSwitcher({
  organization,
  tab,
}: {
  organization: Organization;
  tab: string | undefined;
}) {
  const navigate = useNavigate();
  const current = useOrganizationTabs().find(({ id }) => id === tab);
  const mine = useApiQuery(listMyOrganizations, { key: ['my organizations'], changesOf: 'me' });
  const others = (mine.data?.rows ?? []).filter(
    ({ organizationId }) => organizationId !== organization.organizationId,
  );
  const logo = organization.logo && <img className="organization-logo" src={organization.logo.path} alt="" />;
  if (others.length === 0)
    return (
      <p className="organization-name">
        {logo}
        {organization.name}
      </p>
    );
  return (
    <Menu
      items={others.map(({ name, slug, permissions }) => {
        const next = current?.isShown({ permissions }) ? current.to : '/layout/organization/$slug';
        return { label: name, onSelect: () => void navigate({ to: next, params: { slug } }) };
      })}
    >
      <Button size="small">
        <span className="visually-hidden">{t`Organization:`} </span>
        {logo}
        {organization.name}
        <IconChevronDown size={16} stroke={1.75} aria-hidden="true" />
      </Button>
    </Menu>
  );
}

/** `singleSignOn` is known only for the opened organization. */
type Shown = { permissions: readonly string[]; singleSignOn?: boolean };

declare module '@tanstack/react-router' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface can extend the library's interface
  interface StaticDataRouteOption {
    /** Tab on the screens of an organization, sorted by `order`. */
    organizationTab?: {
      label: MessageDescriptor;
      order: number;
      /** Permission that shows the tab, or several of which one suffices. Without it, every member sees it. */
      permission?: string | readonly string[];
      /** Returns whether an organization has the tab. Default: all have it. */
      isOffered?: (organization: Shown) => boolean;
    };
  }
}

type OrganizationTab = { id: string; to: string; label: string; isShown: (organization: Shown) => boolean };

function useOrganizationTabs(): OrganizationTab[] {
  const router = useRouter();
  return Object.values(router.routesByPath)
    .map((route) => ({ to: route.fullPath, tab: route.options.staticData?.organizationTab }))
    .flatMap(({ to, tab }) => (tab ? [{ to, ...tab }] : []))
    .toSorted((one, other) => one.order - other.order)
    .map(({ to, label, permission, isOffered = () => true }) => ({
      id: tabOf(to) ?? '',
      to,
      label: i18n._(label),
      isShown: (organization) =>
        isOffered(organization) &&
        (permission === undefined ||
          [permission].flat().some((name) => organization.permissions.includes(name))),
    }));
}

/** Returns the tab of a path; undefined without one. */
const tabOf = (path: string) => /^\/layout\/organization\/[^/]+\/([^/]+)/.exec(path)?.[1];
