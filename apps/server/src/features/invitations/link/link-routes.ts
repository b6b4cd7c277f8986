/** Public routes for the holder of an invitation link. Opening a link consumes nothing. */
import type { SignInMethod } from '@vestibule/contract/configuration';
import type { InvitationStatus } from '@vestibule/contract/invitations';
import {
  getInviteToken,
  getInvitationLinkState,
  reportInviteCancelled,
  requestNewLink,
  type LinkState,
} from '@vestibule/contract/invitations/link';
import { linkCodeLength, readLinkCode } from '@vestibule/contract/rules/link-code';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { invitationAudit } from '../../../platform/audit/audit-log.ts';
import type { Queryable, DatabaseDeps } from '../../../platform/database/database.ts';
import { createRateLimit } from '../../../platform/database/rate-limit.ts';
import { assertWithinRateLimit } from '../../../platform/errors/failure.ts';
import { implement, type Call, type Implementation, type Origin } from '../../../platform/http/implement.ts';
import { networkOf } from '../../../platform/http/ip-network.ts';
import type { MailQueue } from '../../../platform/mail/mail-queue.ts';
import { findPeopleByEmail } from '../../people/people-by-email.ts';
import { isAllowed } from '../create/check-rows.ts';
import { dayMs } from '../../../platform/time-units.ts';
import type { RecordEvent } from '../lifecycle/invitation-events.ts';
import { invitationMailJob } from '../invitation-mail.ts';
import { lockRenewable, markMailQueued, recordNewLink } from '../lifecycle/follow-ups.ts';
import type { SettingsStore } from '../../settings/settings-store.ts';
import {
  findInvitationByCodeHash,
  isMember,
  isOpen,
  needsCodeFirst,
  shownStatus,
  type InvitationRow,
} from '../invitation-store.ts';
import { findOrganizationLogos } from '../organization-logos.ts';
import { isOrganizationOpen } from '../redemption-store.ts';
import type { InviteTokens } from './invite-token.ts';
import { renewLockedInvitations } from '../lifecycle/lifecycle.ts';
import type { ShortCodes } from './short-code.ts';
import type { IncomingHttpHeaders } from 'node:http';

/** Finds the connection of the organization that has verified the domain of an address. */
export type FindConnection = (emailCanonical: string) => Promise<SignInMethod | null>;

type Deps = DatabaseDeps & {
  mail: MailQueue;
  shortCodes: ShortCodes;
  inviteTokens: InviteTokens;
  recordEvent: RecordEvent;
  settings: SettingsStore;
  findConnection: FindConnection;
};

type LinkCall = Pick<Call<typeof getInviteToken>, 'origin' | 'log' | 'recordRefusal'>;

/** Limit of wrong codes per network, shared with auth/provision-user.ts. Guessing 128 bits takes far more attempts. */
export const failedExchangeLimit = { name: 'failed exchange', maximum: 10, windowSeconds: 60 };

export function linkRoutes(deps: Deps): Implementation[] {
  const { database, shortCodes, now } = deps;
  const failedExchanges = createRateLimit(deps, failedExchangeLimit);
  const cancellations = createRateLimit(deps, { name: 'cancelled sign-up', maximum: 10, windowSeconds: 60 });
  const newLinks = createRateLimit(deps, { name: 'new link', maximum: 5, windowSeconds: 600 });

  return [
    implement(getInviteToken, async ({ body, ...call }) => {
      const { invitation, state } = await findInvitation(body.code, call);
      if (invitation && state === 'open') {
        if (await hasAccount(invitation))
          return { Succeeded: false, Data: null, ErrorMessage: 'AlreadySignedUp' };
        const at = new Date(now());
        const [token] = await Promise.all([
          deps.inviteTokens.issue(invitation),
          deps.recordEvent({ invitationId: invitation.id, kind: 'token_issued', at }),
        ]);
        return { Succeeded: true, Data: token, ErrorMessage: '' };
      }
      const reasons: Record<string, string> = {
        signedUp: 'AlreadySignedUp',
        expired: 'Expired',
        suspended: 'Suspended',
      };
      const reason = reasons[state] ?? 'Invalid';
      return { Succeeded: false, Data: null, ErrorMessage: reason };
    }),

    implement(getInvitationLinkState, async ({ body, ...call }) => {
      const { invitation, state } = await findInvitation(body.code, call);
      if (!invitation || state !== 'open')
        return {
          state,
          inviter: null,
          email: null,
          name: '',
          codeFirst: false,
          organization: null,
          organizationLogo: null,
          connection: null,
          acceptAfterSignIn: null,
        };
      const inviter = invitation.created_by;
      const organizationId = invitation.organization_id;
      const [named, logoOf] = await Promise.all([
        findPeopleByEmail(database, [inviter]),
        findOrganizationLogos(database, [organizationId]),
      ]);
      return {
        state,
        inviter: named(inviter)?.displayName ?? inviter,
        email: invitation.email,
        name: invitation.name,
        codeFirst: needsCodeFirst(invitation.role, await deps.settings.current()),
        organization: invitation.organization_name ?? null,
        organizationLogo: logoOf(organizationId),
        connection: await deps.findConnection(invitation.email_canonical),
        acceptAfterSignIn: (await hasAccount(invitation)) ? invitation.id : null,
      };
    }),

    implement(reportInviteCancelled, async ({ body, origin, log }) => {
      assertWithinRateLimit(await cancellations.take(networkOf(origin.address)));
      void recordCancellation(deps, body).catch(logError(log));
      return { received: true as const };
    }),

    implement(requestNewLink, async ({ body, origin, log }) => {
      assertWithinRateLimit(await newLinks.take(networkOf(origin.address)));
      void sendNewLink(deps, body.code, origin).catch(logError(log));
      return { received: true as const };
    }),
  ];

  /** Looks up a code. Failures count against the network of the caller and are recorded in the timeline. */
  async function findInvitation(code: string, { origin, log, recordRefusal }: LinkCall) {
    const network = networkOf(origin.address);
    const [waitSeconds, invitation] = await Promise.all([
      failedExchanges.waitSeconds(network),
      findInvitationByCodeHash(database, shortCodes.hashOf(code)),
    ]);
    assertWithinRateLimit(waitSeconds);
    const status = invitation ? linkStatus(invitation) : 'unknown';
    const state = states[status] ?? 'invalid';
    if (invitation && state === 'open') {
      const isOpenToMembers = await isOrganizationOpen(database, invitation.organization_id, new Date(now()));
      return { invitation, state: isOpenToMembers ? state : ('suspended' as const) };
    }
    // Failures are counted before the response, so that concurrent requests cannot exceed the limit.
    assertWithinRateLimit(await failedExchanges.take(network));
    recordRefusal(`invitation.${status}`);
    // Not awaited: the response time must not depend on the code.
    if (invitation)
      void deps
        .recordEvent({ invitationId: invitation.id, kind: 'refused', about: status, at: new Date(now()) })
        .catch(logError(log));
    return { invitation, state };
  }

  /** Returns whether the invitee of an organization is a person already. The holder of the link may know it. */
  async function hasAccount({
    organization_id: id,
    email_canonical: address,
  }: InvitationRow): Promise<boolean> {
    return id !== null && (await isMember(database, { emailCanonical: address, organizationId: null }));
  }

  /** A code that a renewal replaced stays expired while the new code is open. */
  function linkStatus(invitation: InvitationRow & { isReplaced: boolean }): InvitationStatus {
    const status = shownStatus(invitation, now());
    return invitation.isReplaced && (status === 'pending' || status === 'opened') ? 'expired' : status;
  }
}

/** States reported to the holder of a link. Other statuses are reported as invalid. */
const states: Readonly<Record<string, LinkState>> = {
  pending: 'open',
  opened: 'open',
  redeemed: 'signedUp',
  expired: 'expired',
  replaced: 'expired',
};

/** Records openings of the sign-up page after the response. */
export function recordOpenings(
  app: FastifyInstance,
  deps: DatabaseDeps & { shortCodes: ShortCodes; recordEvent: RecordEvent; publicUrl: string },
): void {
  const isSecure = deps.publicUrl.startsWith('https:');
  app.addHook('onResponse', (request, reply, done) => {
    done();
    const { method } = request;
    if ((method !== 'GET' && method !== 'HEAD') || !request.url.startsWith('/signup?')) return;
    const code = readLinkCode(new URLSearchParams(request.url.slice('/signup?'.length)).get('i') ?? '');
    if (reply.statusCode >= 400 || code.length !== linkCodeLength) return;
    void recordOpening(code).catch(logError(request.log));

    async function recordOpening(shortCode: string): Promise<void> {
      const at = deps.now();
      const invitation = await findInvitationByCodeHash(deps.database, deps.shortCodes.hashOf(shortCode));
      if (!invitation) return;
      const { mailed_at: mailedAt } = invitation;
      const about = detectOpeningAgent({
        method,
        headers: request.headers,
        isSecure,
        secondsSinceMail: mailedAt === null ? null : (at - mailedAt.getTime()) / 1000,
      });
      await deps.recordEvent({ invitationId: invitation.id, kind: 'opened', about, at: new Date(at) });
    }
  });
}

const logError = (log: FastifyBaseLogger) => (error: unknown) =>
  log.error({ err: error }, 'could not record an event of an invitation link');

async function recordCancellation(
  { database, shortCodes, inviteTokens, recordEvent, now }: Deps,
  { code, token }: { code?: string | undefined; token?: string | undefined },
): Promise<void> {
  const byCode = code ? await findInvitationByCodeHash(database, shortCodes.hashOf(code)) : null;
  const invitationId = byCode?.id ?? (token ? await inviteTokens.invitationOf(token) : null);
  if (invitationId) await recordEvent({ invitationId, kind: 'cancelled', at: new Date(now()) });
}

/**
 * Mails a new link for an expired code (statement D15). Renews an invitation that expired within `newLinkDays`, or sends the
 * current link if a renewal replaced the code. Sends nothing for a final status, and for a suspended organization.
 */
async function sendNewLink(deps: Deps, code: string, origin: Origin): Promise<void> {
  const { database, now } = deps;
  const invitation = await findInvitationByCodeHash(database, deps.shortCodes.hashOf(code));
  if (!invitation || invitation.status !== 'pending' || !deps.mail.sends) return;
  if (isOpen(invitation, now()) && !invitation.isReplaced) return;
  if (!(await isOrganizationOpen(database, invitation.organization_id, new Date(now())))) return;
  const rules = await deps.settings.current();
  if (!isAllowed(invitation.email_canonical, rules.allowedDomains)) return;
  // 0 disables new links, even for renewed invitations that are open.
  if (rules.newLinkDays === 0 || invitation.expires_at.getTime() + rules.newLinkDays * dayMs <= now()) return;
  await database.transaction(async (transaction) => {
    const at = new Date(now());
    const locked = await recordNewLink(transaction, invitation.id, at);
    if (!locked) return;
    const renewed = !isOpen(locked, at.getTime());
    const [sent] = renewed
      ? await renewLockedInvitations(deps, transaction, await lockRenewable(transaction, [locked.id], at), {
          lifetimeDays: (row) => row.lifetime_days ?? rules.invitationLifetimeDays,
          mail: 'invitation-new-link',
        })
      : await sendMailAgain(deps, transaction, locked.id);
    if (sent)
      await invitationAudit.record(
        transaction,
        sent,
        'invitation.new_link_sent',
        { caller: null, origin },
        { renewed },
      );
  });
}

async function sendMailAgain({ mail }: Deps, transaction: Queryable, id: string): Promise<InvitationRow[]> {
  const row = await markMailQueued(transaction, id);
  await mail.queue(transaction, [invitationMailJob('invitation-new-link', row)]);
  return [row];
}

const automatedAgents = new RegExp(
  [
    // Self-declared programs.
    'bot\\b|bot/|crawl|spider|scan|preview|prefetch|monitor|validator|link ?check|headless|phantom|puppeteer|playwright|selenium',
    // Mail gateways and link protection.
    'proofpoint|mimecast|barracuda|safelinks|existence discovery|symantec|messagelabs|fireeye|trellix|trend ?micro|cloudmark|forcepoint|sophos|ironport|zscaler|avanan|checkpoint|fortinet|bitdefender|kaspersky|urldefense',
    // Image proxies, chat previews and HTTP libraries.
    'googleimageproxy|google-safety|google-inspectiontool|yahoomailproxy|skypeuripreview|whatsapp|facebookexternalhit|embedly|quora link|microsoft office|ms-office|msoffice',
    'curl|wget|python|aiohttp|httpx|java/|okhttp|go-http|libwww|perl|ruby|php|axios|node-fetch|undici|guzzle|postman|insomnia|httpie',
  ].join('|'),
  'i',
);

const minReadingSeconds = 2;

/** Guesses whether a person or a mail scanner opened a link. A wrong guess only affects the timeline and the shown status. */
export function detectOpeningAgent(request: {
  method: string;
  headers: IncomingHttpHeaders;
  /** Browsers send Sec-Fetch headers (since 2023) only to secure sites. */
  isSecure: boolean;
  /** Null if no mail was sent. */
  secondsSinceMail: number | null;
}): 'person' | 'scanner' {
  const { headers, secondsSinceMail } = request;
  const userAgent = headers['user-agent'] ?? '';
  const purpose = headers['sec-purpose'] ?? headers['purpose'] ?? headers['x-purpose'] ?? '';
  const isAutomated =
    request.method === 'HEAD' ||
    !userAgent.startsWith('Mozilla/') ||
    automatedAgents.test(userAgent) ||
    /prefetch|prerender|preview/i.test(String(purpose)) ||
    headers['accept-language'] === undefined ||
    (request.isSecure && headers['sec-fetch-mode'] === undefined) ||
    (secondsSinceMail !== null && secondsSinceMail >= 0 && secondsSinceMail < minReadingSeconds);
  return isAutomated ? 'scanner' : 'person';
}
