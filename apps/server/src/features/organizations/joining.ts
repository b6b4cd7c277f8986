/** Joining by the verified domain of the caller's address, and decisions about requests to join (R7). */
import { organizationErrors } from '@vestibule/contract/organizations';
import {
  approveMembershipRequest,
  declineMembershipRequest,
  joiningErrors,
  joinOrganization,
  listJoinableOrganizations,
  listMembershipRequests,
  type JoinableOrganization,
} from '@vestibule/contract/organizations/requests';
import { readDomainRule } from '@vestibule/contract/settings/rules';
import { personAudit } from '../../platform/audit/audit-log.ts';
import { type CoreDeps } from '../../platform/database/database.ts';
import { fail, onUniqueViolation, required } from '../../platform/errors/failure.ts';
import { implement, type Caller, type Implementation } from '../../platform/http/implement.ts';
import type { Permissions } from '../../platform/http/organization-access.ts';
import { domainOf } from '../../platform/identity/canonical-email.ts';
import type { MailQueue } from '../../platform/mail/mail-queue.ts';
import { isAllowed, requireAllowed } from '../invitations/create/check-rows.ts';
import { createInvitations, withDefaults } from '../invitations/create/create-invitations.ts';
import type { ShortCodes } from '../invitations/link/short-code.ts';
import { createCountSending } from '../invitations/scope.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import { requestAudit, createAskToJoin } from './ask-to-join.ts';
import { findOpenTo, joinByDomain, type OpenOrganization } from './domain-store.ts';
import { requireGivable } from './members.ts';
import { insertMembership, isMemberOf } from './membership-store.ts';
import { findRole, lockOrganization } from './organization-store.ts';
import {
  canAskAgain,
  deletePending,
  findPendingRequest,
  findRequestOf,
  findVerifiedAddress,
  isProof,
  listPendingRequests,
  markDeclined,
} from './request-store.ts';

type Deps = CoreDeps & {
  mail: MailQueue;
  settings: SettingsStore;
  permissions: Permissions;
  shortCodes: ShortCodes;
};

export const joiningRoutes = (deps: Deps): Implementation[] => [...ownRoutes(deps), ...decisionRoutes(deps)];

function ownRoutes(deps: Deps): Implementation[] {
  const { database, settings, now } = deps;
  const askToJoin = createAskToJoin(deps);

  /** Returns the organization of the domain of the caller's verified address, unless the caller is a member. */
  async function findJoinable(caller: Caller) {
    const at = new Date(now());
    const [address, { allowedDomains, signInDomains }] = await Promise.all([
      findVerifiedAddress(database, caller.id),
      settings.current(),
    ]);
    if (!address || !isAllowed(address.emailCanonical, allowedDomains)) return null;
    const domain = domainOf(address.emailCanonical);
    const rule = signInDomains.map(readDomainRule).find((found) => found?.domain === domain);
    const organization = await findOpenTo(database, address.emailCanonical, at);
    if (!organization || !isProof(address, organization.id, rule?.way)) return null;
    if (await isMemberOf(database, organization.id, caller.id)) return null;
    const request = await findRequestOf(database, organization.id, address.emailCanonical);
    const state = stateOf(organization, request, at);
    return state === null ? null : { organization, address, domain, state };
  }

  return [
    implement(listJoinableOrganizations, async ({ caller }) => {
      const found = await findJoinable(caller);
      if (!found) return { rows: [] };
      const { id, name, enrolment } = found.organization;
      return { rows: [{ organizationId: id, name, enrolment, state: found.state }] };
    }),

    implement(joinOrganization, async ({ params: { organizationId }, caller, origin }) => {
      const found = await findJoinable(caller);
      if (found?.organization.id !== organizationId) throw fail(joiningErrors.notOffered);
      const { organization, address, domain, state } = found;
      const { slug, name } = organization;
      if (state === 'declined') throw fail(joiningErrors.declined);
      if (organization.enrolment === 'request') {
        const asked = await askToJoin({ ...address, person: caller, origin });
        if (!asked) throw fail(joiningErrors.notOffered);
        return { outcome: 'requested' as const, slug, name };
      }
      await database.transaction(async (transaction) => {
        const joined = await joinByDomain(transaction, {
          personId: caller.id,
          emailCanonical: address.emailCanonical,
          at: new Date(now()),
        }).catch(rejectFull);
        if (!joined) throw fail(organization.isFull ? organizationErrors.full : joiningErrors.notOffered);
        await personAudit.record(
          transaction,
          caller,
          'member.added',
          { caller, origin, organization: joined },
          { role: joined.roleId, domain },
        );
      });
      return { outcome: 'joined' as const, slug, name };
    }),
  ];
}

const rejectFull = onUniqueViolation('memberships_seat_limit', organizationErrors.full);

/** A removed member does not return by automatic enrolment. Returns null if the organization is full. */
function stateOf(
  { enrolment, isFull }: OpenOrganization,
  request: Awaited<ReturnType<typeof findRequestOf>>,
  at: Date,
): JoinableOrganization['state'] | null {
  if (request?.status === 'declined' && (enrolment === 'automatic' || !canAskAgain(request, at)))
    return 'declined';
  if (enrolment === 'automatic') return isFull ? null : 'open';
  return request?.status === 'pending' ? 'requested' : 'open';
}

function decisionRoutes(deps: Deps): Implementation[] {
  const { database, mail, settings, permissions, now } = deps;
  const countSending = createCountSending(deps);

  return [
    implement(listMembershipRequests, ({ organization }) => listPendingRequests(database, organization.id)),

    implement(approveMembershipRequest, async ({ params, body: { roleId }, organization, ...actor }) => {
      const { caller } = actor;
      const site = await settings.current();
      return database.transaction(async (transaction) => {
        await lockOrganization(transaction, organization.id);
        const role = required(await findRole(transaction, roleId), organizationErrors.roleNotFound);
        requireGivable(permissions, organization, role);
        const request = await findPendingRequest(transaction, organization.id, params.requestId);
        if (!request || !(await deletePending(transaction, request.id)))
          throw fail(joiningErrors.requestNotFound);
        const { email, person_id: personId } = request;
        if (personId === null) {
          requireAllowed(request.email_canonical, site);
          await countSending(caller, organization, [request.email_canonical], transaction);
          await createInvitations(deps, transaction, [
            withDefaults(site, {
              email,
              emailCanonical: request.email_canonical,
              name: request.display_name === email ? '' : request.display_name,
              organizationRoleId: role.id,
              organization,
              ...actor,
            }),
          ]);
          return { outcome: 'invited' as const, email };
        }
        await insertMembership(transaction, {
          organizationId: organization.id,
          personId,
          roleId: role.id,
          at: new Date(now()),
          addedBy: caller.email,
        });
        await personAudit.record(
          transaction,
          { id: personId, email },
          'member.added',
          { ...actor, organization },
          { role: role.id },
        );
        await mail.queue(transaction, [
          { template: 'membership-approved', subjectId: `${organization.id} ${personId}` },
        ]);
        return { outcome: 'joined' as const, email };
      });
    }),

    implement(declineMembershipRequest, async ({ params: { requestId }, organization, ...actor }) =>
      database.transaction(async (transaction) => {
        const request = await findPendingRequest(transaction, organization.id, requestId);
        if (!request || !(await markDeclined(transaction, requestId, new Date(now()))))
          throw fail(joiningErrors.requestNotFound);
        await requestAudit.record(transaction, request, 'membership_request.declined', {
          ...actor,
          organization,
        });
        await mail.queue(transaction, [{ template: 'membership-declined', subjectId: requestId }]);
        return { id: requestId, email: request.email };
      }),
    ),
  ];
}
