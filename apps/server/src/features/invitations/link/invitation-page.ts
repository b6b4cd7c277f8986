/** Adds the inviter and the product to the HTML of an open invitation, visible before scripts load. */
import { linkCodeLength, readLinkCode } from '@vestibule/contract/rules/link-code';
import type { FastifyInstance } from 'fastify';
import type { DatabaseDeps } from '../../../platform/database/database.ts';
import { createRateLimit } from '../../../platform/database/rate-limit.ts';
import { networkOf } from '../../../platform/http/ip-network.ts';
import type { WebFiles } from '../../../platform/http/page/web-files.ts';
import type { CurrentSettings, SettingsStore } from '../../settings/settings-store.ts';
import { findPeopleByEmail } from '../../people/people-by-email.ts';
import { findInvitationByCodeHash, isOpen } from '../invitation-store.ts';
import type { ShortCodes } from './short-code.ts';

/** Same sentences as in sign-up-screen.tsx. */
const invitationTexts: Record<string, (product: string, inviter: string | null) => string> = {
  en: (product, inviter) =>
    inviter === null ? `You are invited to ${product}.` : `${inviter} invited you to ${product}.`,
  de: (product, inviter) =>
    inviter === null ? `Sie sind zu ${product} eingeladen.` : `${inviter} hat Sie zu ${product} eingeladen.`,
};

export function serveInvitationPage(
  app: FastifyInstance,
  deps: DatabaseDeps & { shortCodes: ShortCodes; settings: SettingsStore; webFiles: WebFiles },
): void {
  const { database, webFiles } = deps;
  const failures = createRateLimit(deps, { name: 'invitation page', maximum: 20, windowSeconds: 60 });

  app.get('/signup', async (request, reply) => {
    const inviter = await findInviter(request.query, networkOf(request.ip)).catch((error: unknown) => {
      // The page can be served without the database.
      request.log.error({ err: error }, 'could not look up the invitation of a sign-up page');
      return undefined;
    });
    const page = inviter === undefined ? null : webFiles.page(request, reply);
    if (inviter === undefined || page === null) return webFiles.sendPage(request, reply);
    const settings = await deps.settings.current();
    const formatText = invitationTexts[page.language] ?? invitationTexts['en'];
    const html = renderInvitationPage(page.html, settings, formatText?.(settings.productName, inviter) ?? '');
    return reply.header('cache-control', 'private, no-cache').type('text/html; charset=utf-8').send(html);
  });

  /** Returns the inviter's name or address, null for the first administrator, undefined if no open invitation matches. */
  async function findInviter(query: unknown, network: string): Promise<string | null | undefined> {
    const { i: parameter } = query as { i?: unknown };
    const code = typeof parameter === 'string' ? readLinkCode(parameter) : '';
    if (code.length !== linkCodeLength) return undefined;
    if ((await failures.waitSeconds(network)) > 0) return undefined;
    const invitation = await findInvitationByCodeHash(database, deps.shortCodes.hashOf(code));
    if (!invitation || invitation.isReplaced || !isOpen(invitation, deps.now())) {
      await failures.take(network);
      return undefined;
    }
    const { created_by: createdBy } = invitation;
    return createdBy === null
      ? null
      : ((await findPeopleByEmail(database, [createdBy]))(createdBy)?.displayName ?? createdBy);
  }
}

/** Returns the page with the site's brand and `status` as its status text. */
export function renderInvitationPage(
  page: string,
  { productName, logo }: Pick<CurrentSettings, 'productName' | 'logo'>,
  status: string,
): string {
  const name = escapeHtml(productName);
  const picture = logo && `<img class="login-logo" src="${escapeHtml(logo.path)}" alt="">`;
  return page
    .replace(/<title>[^<]*<\/title>/, () => `<title>${name}</title>`)
    .replace(/<svg class="brand-mark".*?<\/svg>/s, (mark) => picture ?? mark)
    .replace(/<h1>[^<]*<\/h1>/, () => `<h1>${name}</h1>`)
    .replace(
      /<output class="login-status">[^<]*<\/output>/,
      () => `<output class="login-status" data-invited>${escapeHtml(status)}</output>`,
    );
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
