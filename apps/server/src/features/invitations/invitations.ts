/** Routes, mails and timers of invitations. */
import {
  countInvitations,
  exportInvitations,
  getInvitation,
  getInvitationLink,
  invitationErrors,
  invite,
  listInvitations,
  type InvitationDetails,
} from '@vestibule/contract/invitations';
import { previewInvitation } from '@vestibule/contract/invitations/preview';
import {
  countOrganizationInvitations,
  exportOrganizationInvitations,
  getOrganizationInvitation,
  getOrganizationInvitationLink,
  inviteToOrganization,
  listOrganizationInvitations,
  previewOrganizationInvitation,
} from '@vestibule/contract/invitations/in-organization';
import type { Area } from '../../platform/area.ts';
import { invitationAudit } from '../../platform/audit/audit-log.ts';
import { createBatchLoader } from '../../platform/database/batch-loader.ts';
import {
  hasRow,
  retryOnDeadlock,
  type CoreDeps,
  type Database,
  type Queryable,
} from '../../platform/database/database.ts';
import { createListReader } from '../../platform/lists/list-page.ts';
import { fail } from '../../platform/errors/failure.ts';
import { requireRecentAuth } from '../../platform/http/access.ts';
import { valuesOf } from '../../platform/values-of.ts';
import type { ExportList } from '../../platform/export/export-list.ts';
import {
  implementInScopes,
  type CallerOrganization,
  type Implementation,
} from '../../platform/http/implement.ts';
import { domainOf } from '../../platform/identity/canonical-email.ts';
import type { MailQueue } from '../../platform/mail/mail-queue.ts';
import type { FindMailServers } from '../../platform/mail/mail-servers.ts';
import { every } from '../../platform/timers.ts';
import { dayMs, hourMs } from '../../platform/time-units.ts';
import { writeInvitationMail } from '../mail/templates/invitation-mails.ts';
import { inColorScheme } from '../mail/templates/layout.ts';
import { findPeopleByEmail } from '../people/people-by-email.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import { batchRoutes } from './create/batches.ts';
import { requireAllowed, requireCanonical } from './create/check-rows.ts';
import { createInvitations, withDefaults, type InvitationRequest } from './create/create-invitations.ts';
import { explainInvitation } from './lifecycle/explain-invitation.ts';
import { readTimeline, type RecordEvent } from './lifecycle/invitation-events.ts';
import { invitationMails } from './invitation-mail.ts';
import { myInvitationRoutes } from './my-invitations.ts';
import {
  createCountSending,
  createRoleReader,
  requireGivableRole,
  requireOpenOrganization,
  requireRole,
  scopeOf,
  type RoleReaderDeps,
} from './scope.ts';
import {
  findInScope,
  findOrganizationNames,
  findRedeemer,
  invitationList,
  isMember,
  isOpen,
  toInvitation,
  type InvitationRow,
} from './invitation-store.ts';
import { findOrganizationLogos } from './organization-logos.ts';
import { createInviteTokens, inviteTokenIssuer, publishInviteMetadata } from './link/invite-token.ts';
import { lifecycleRoutes } from './lifecycle/lifecycle.ts';
import { remindBeforeExpiry } from './lifecycle/follow-ups.ts';
import { linkRoutes, type FindConnection, recordOpenings } from './link/link-routes.ts';
import { invitationLink, type ShortCodes } from './link/short-code.ts';
import type { SigningKeys } from './link/signing-keys.ts';

const rotateEveryMs = 6 * hourMs;
const remindEveryMs = 10 * 60_000;

export function invitations(
  deps: CoreDeps &
    RoleReaderDeps & {
      mail: MailQueue;
      findMailServers: FindMailServers;
      shortCodes: ShortCodes;
      signingKeys: SigningKeys;
      recordEvent: RecordEvent;
      exportList: ExportList;
      settings: SettingsStore;
      findConnection: FindConnection;
      /** Client ID of this application at the provider. */
      clientId: string;
      publicUrl: string;
    },
): Area {
  const { database, shortCodes, signingKeys, publicUrl, now } = deps;
  const list = createListReader<InvitationRow, typeof invitationList>(database, invitationList, now);

  const countSending = createCountSending(deps);
  const inviteTokens = createInviteTokens({
    ...deps,
    keys: signingKeys,
    issuer: inviteTokenIssuer(publicUrl),
    audience: deps.clientId,
  });

  // Concurrent requests share one transaction to save commits.
  const create = createBatchLoader(
    (requests: InvitationRequest[]) =>
      retryOnDeadlock(database, (transaction) => createInvitations(deps, transaction, requests)),
    2,
  );

  const routes = [
    ...linkRoutes({ ...deps, inviteTokens }),
    ...batchRoutes({ ...deps, countSending }),
    ...preview(deps),
    ...lifecycleRoutes({ ...deps, countSending, listIn: list.in }),
    ...myInvitationRoutes(deps),

    ...implementInScopes(listInvitations, listOrganizationInvitations, async ({ query, organization }) => {
      const { rows, total } = await list.in(scopeOf(organization)).page(query);
      return { rows: await nameInvitations(database, rows, organization, now()), total };
    }),

    ...implementInScopes(countInvitations, countOrganizationInvitations, ({ organization }) =>
      list.in(scopeOf(organization)).countGroups(),
    ),

    ...implementInScopes(exportInvitations, exportOrganizationInvitations, (call) =>
      deps.exportList(
        { name: 'invitations', title: 'Invitations', list: list.in(scopeOf(call.organization)) },
        call,
      ),
    ),

    ...implementInScopes(getInvitation, getOrganizationInvitation, ({ params, organization }) =>
      readDetails(database, params.invitationId, organization, now()),
    ),

    ...implementInScopes(invite, inviteToOrganization, async ({ body, caller, organization, origin }) => {
      requireOpenOrganization(organization);
      const emailCanonical = requireCanonical(body.email);
      const role = requireRole(await createRoleReader(deps, organization), body.role);
      const site = await deps.settings.current();
      requireAllowed(emailCanonical, site);
      await countSending(caller, organization, [emailCanonical]);
      const created = await create(
        withDefaults(site, { ...body, ...role, emailCanonical, caller, organization, origin }),
      );
      if (created) return toInvitation(created, now());
      const organizationId = organization?.id ?? null;
      throw fail(
        (await isMember(database, { emailCanonical, organizationId }))
          ? invitationErrors.alreadyMember
          : invitationErrors.alreadyInvited,
      );
    }),

    ...implementInScopes(getInvitationLink, getOrganizationInvitationLink, async (call) => {
      const invitation = await findInScope(database, call.params.invitationId, call.organization);
      if (!isOpen(invitation, now())) throw fail(invitationErrors.notPending);
      await requireGivableRole(deps, call.organization, invitation);
      // With Azure AD B2C, the link is sufficient to join.
      if (invitation.role === 'admin' && call.caller.token) requireRecentAuth(call.caller, now());
      // The holder of the link can sign up with the address, so managers get no links for addresses of others.
      if (call.organization && !call.caller.isAdmin && !(await isInOwnDomain(database, invitation)))
        throw fail(invitationErrors.linkIsProof);
      await invitationAudit.record(database, invitation, 'invitation.link_copied', call);
      return { link: invitationLink(publicUrl, shortCodes, invitation) };
    }),
  ];
  return {
    routes,
    plugin(app) {
      publishInviteMetadata(app, signingKeys, publicUrl);
      recordOpenings(app, deps);
    },
    mails: invitationMails(deps),
    timers: [
      every(rotateEveryMs, 'rotating the signing keys', () => signingKeys.rotate()),
      every(remindEveryMs, 'reminding', () => remindBeforeExpiry(deps)),
    ],
  };
}

/** Returns whether the organization of an invitation has verified the domain of its address. */
const isInOwnDomain = (
  database: Queryable,
  { organization_id: organizationId, email_canonical: address }: InvitationRow,
) =>
  hasRow(database)`
    select from organization_domains where organization_id = ${organizationId} and domain = ${domainOf(address)}
      and state = 'verified'`;

const preview = (deps: CoreDeps & { settings: SettingsStore; publicUrl: string }): Implementation[] =>
  implementInScopes(
    previewInvitation,
    previewOrganizationInvitation,
    async ({ body, caller, organization }) => {
      const site = await deps.settings.current();
      const logo =
        organization && (await findOrganizationLogos(deps.database, [organization.id]))(organization.id);
      const mail = writeInvitationMail(body.language ?? site.mailLanguage, {
        to: { name: body.name, address: body.email || 'anna@example.com' },
        site: { ...site, publicUrl: deps.publicUrl, ...(logo && { logo }) },
        organization: organization?.name ?? null,
        // Not a valid code.
        link: `${deps.publicUrl}/signup?i=EXAMPLE`,
        expiresAt: new Date(deps.now() + (body.lifetimeDays ?? site.invitationLifetimeDays) * dayMs),
        message: body.message.trim(),
        invitedBy: { name: caller.displayName, address: caller.email },
      });
      return { subject: mail.subject, html: inColorScheme(mail.html, 'light') };
    },
  );

async function readDetails(
  database: Database,
  id: string,
  organization: CallerOrganization | null,
  at: number,
): Promise<InvitationDetails> {
  const [invitation, timeline, personId] = await Promise.all([
    findInScope(database, id, organization),
    readTimeline(database, id),
    findRedeemer(database, id),
  ]);
  const explanationTexts = explainInvitation(invitation, timeline, at);
  const named = await findPeopleByEmail(database, [invitation.email, invitation.created_by]);
  return {
    ...toInvitation(invitation, at),
    explanation: explanationTexts.map(({ message }) => message).join(' '),
    explanationTexts,
    person: organization === null ? named(invitation.email) : null,
    inviter: named(invitation.created_by),
    personId: organization === null ? personId : null,
    organizationName: invitation.organization_name ?? null,
    timeline,
  };
}

async function nameInvitations(
  database: Queryable,
  rows: InvitationRow[],
  organization: CallerOrganization | null,
  now: number,
) {
  const [named, organizationName] = await Promise.all([
    findPeopleByEmail(
      database,
      rows.flatMap((row) => (organization === null ? [row.email, row.created_by] : [row.created_by])),
    ),
    findOrganizationNames(database, valuesOf(rows, 'organization_id')),
  ]);
  return rows.map((row) => ({
    ...toInvitation(row, now),
    person: organization === null ? named(row.email) : null,
    inviter: named(row.created_by),
    organizationName: organizationName(row.organization_id),
  }));
}
