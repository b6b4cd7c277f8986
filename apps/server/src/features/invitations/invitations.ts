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
import { fieldTexts } from '@vestibule/contract/texts/field-texts';
import { requestErrors } from '@vestibule/contract/request-errors';
import { createMessage } from '@vestibule/contract/texts/text';
import type { Area } from '../../platform/area.ts';
import { aboutInvitation, recordChange } from '../../platform/audit/audit-log.ts';
import { createBatchLoader } from '../../platform/database/batch-loader.ts';
import { retryOnDeadlock, type Database, type Queryable } from '../../platform/database/database.ts';
import { createListReader } from '../../platform/lists/list-page.ts';
import { fail } from '../../platform/errors/failure.ts';
import type { ExportList } from '../../platform/export/export-list.ts';
import { implement, type Implementation } from '../../platform/http/implement.ts';
import { canonicalEmail } from '../../platform/identity/canonical-email.ts';
import type { MailQueue } from '../../platform/mail/mail-queue.ts';
import type { FindMailServers } from '../../platform/mail/mail-servers.ts';
import { every } from '../../platform/timers.ts';
import { writeInvitationMail } from '../mail/templates/invitation-mails.ts';
import { inColorScheme } from '../mail/templates/layout.ts';
import { findPeopleByEmail } from '../people/people-by-email.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import { batchRoutes } from './create/batches.ts';
import { isAllowed } from './create/check-rows.ts';
import { createInvitations, dayMs, type InvitationRequest } from './create/create-invitations.ts';
import { explainInvitation } from './lifecycle/explain-invitation.ts';
import { readTimeline, type RecordEvent } from './lifecycle/invitation-events.ts';
import { invitationMails } from './invitation-mail.ts';
import {
  findInvitation,
  findRedeemer,
  invitationList,
  isMember,
  isOpen,
  toInvitation,
  type InvitationRow,
} from './invitation-store.ts';
import { createInviteTokens, inviteTokenIssuer, publishInviteMetadata } from './link/invite-token.ts';
import { lifecycleRoutes } from './lifecycle/lifecycle.ts';
import { remindBeforeExpiry } from './lifecycle/follow-ups.ts';
import { linkRoutes, recordOpenings } from './link/link-routes.ts';
import { invitationLink, type ShortCodes } from './link/short-code.ts';
import type { SigningKeys } from './link/signing-keys.ts';

const rotateEveryMs = 6 * 60 * 60_000;
const remindEveryMs = 10 * 60_000;

export function invitations(deps: {
  database: Database;
  mail: MailQueue;
  findMailServers: FindMailServers;
  shortCodes: ShortCodes;
  signingKeys: SigningKeys;
  recordEvent: RecordEvent;
  exportList: ExportList;
  settings: SettingsStore;
  /** Client id of this application at the provider. */
  clientId: string;
  publicUrl: string;
  now: () => number;
  newId: () => string;
}): Area {
  const { database, shortCodes, signingKeys, publicUrl, now } = deps;
  const list = createListReader<InvitationRow, typeof invitationList>(database, invitationList, now).in(
    'site',
  );

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
    ...batchRoutes(deps),
    preview(deps),
    ...lifecycleRoutes({ ...deps, list }),

    implement(listInvitations, async ({ query }) => {
      const { rows, total } = await list.page(query);
      return { rows: await nameInvitations(database, rows, now()), total };
    }),

    implement(countInvitations, () => list.countGroups()),

    implement(exportInvitations, (call) =>
      deps.exportList({ name: 'invitations', title: 'Invitations', list }, call),
    ),

    implement(getInvitation, ({ params }) => readDetails(database, params.invitationId, now())),

    implement(invite, async ({ body, caller, origin }) => {
      const emailCanonical = canonicalEmail(body.email);
      if (emailCanonical === null)
        throw fail(requestErrors.invalid, {
          fields: { email: createMessage(fieldTexts.unusableAddress) },
        });
      const { allowedDomains, invitationLifetimeDays, mailLanguage } = await deps.settings.current();
      if (!isAllowed(emailCanonical, allowedDomains)) throw fail(invitationErrors.domainNotAllowed);
      const created = await create({
        ...body,
        emailCanonical,
        language: body.language ?? mailLanguage,
        lifetimeDays: body.lifetimeDays ?? invitationLifetimeDays,
        batchId: null,
        caller,
        origin,
      });
      if (created) return toInvitation(created, now());
      throw fail(
        (await isMember(database, emailCanonical))
          ? invitationErrors.alreadyMember
          : invitationErrors.alreadyInvited,
      );
    }),

    implement(getInvitationLink, async ({ params, ...actor }) => {
      const invitation = await findInvitation(database, params.invitationId);
      if (!invitation) throw fail(invitationErrors.notFound);
      if (!isOpen(invitation, now())) throw fail(invitationErrors.notPending);
      await recordChange(database, aboutInvitation(invitation, 'invitation.link_copied', actor));
      return { link: invitationLink(publicUrl, shortCodes, invitation) };
    }),
  ];
  return {
    routes,
    plugin(app) {
      publishInviteMetadata(app, signingKeys, publicUrl);
      recordOpenings(app, deps);
    },
    jobs: invitationMails(deps),
    timers: [
      every(rotateEveryMs, 'rotating the signing keys', () => signingKeys.rotate()),
      every(remindEveryMs, 'reminding', () => remindBeforeExpiry(deps)),
    ],
  };
}

function preview(deps: { settings: SettingsStore; publicUrl: string; now: () => number }): Implementation {
  return implement(previewInvitation, async ({ body, caller }) => {
    const site = await deps.settings.current();
    const mail = writeInvitationMail(body.language ?? site.mailLanguage, {
      to: { name: body.name, address: body.email || 'anna@example.com' },
      site: { ...site, publicUrl: deps.publicUrl },
      // Not a valid code.
      link: `${deps.publicUrl}/signup?i=EXAMPLE`,
      expiresAt: new Date(deps.now() + (body.lifetimeDays ?? site.invitationLifetimeDays) * dayMs),
      message: body.message.trim(),
      invitedBy: { name: caller.displayName, address: caller.email },
    });
    return { subject: mail.subject, html: inColorScheme(mail.html, 'light') };
  });
}

async function readDetails(database: Database, id: string, at: number): Promise<InvitationDetails> {
  const [invitation, timeline, personId] = await Promise.all([
    findInvitation(database, id),
    readTimeline(database, id),
    findRedeemer(database, id),
  ]);
  if (!invitation) throw fail(invitationErrors.notFound);
  const explanationTexts = explainInvitation(invitation, timeline, at);
  const named = await findPeopleByEmail(database, [invitation.email, invitation.created_by]);
  return {
    ...toInvitation(invitation, at),
    explanation: explanationTexts.map(({ message }) => message).join(' '),
    explanationTexts,
    person: named(invitation.email),
    inviter: named(invitation.created_by),
    personId,
    timeline,
  };
}

async function nameInvitations(database: Queryable, rows: InvitationRow[], now: number) {
  const named = await findPeopleByEmail(
    database,
    rows.flatMap((row) => [row.email, row.created_by]),
  );
  return rows.map((row) => ({
    ...toInvitation(row, now),
    person: named(row.email),
    inviter: named(row.created_by),
  }));
}
