/** The invitation's mail. It is written when it is sent, so that no link or code ever waits in the outbox. */
import type { Database } from '../../platform/database/database.ts';
import type { MailTemplate } from '../mail/mail-queue.ts';
import { findInvitation, setMailState, shownStatus } from './invitation-store.ts';
import { invitationLink } from './invitation-link.ts';
import type { ShortCodes } from './short-code.ts';

export const invitationMailName = 'invitation';
/** Made once: that costs more than the rest of a mail. */
const dateFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

export function invitationMail(deps: {
  database: Database;
  shortCodes: ShortCodes;
  publicUrl: string;
  productName: string;
  supportEmail: string;
  now: () => number;
}): MailTemplate {
  const { database, productName, supportEmail } = deps;
  return {
    async write(invitationId) {
      const invitation = await findInvitation(database, invitationId);
      if (!invitation || !['pending', 'opened'].includes(shownStatus(invitation, deps.now()))) return null;
      const link = invitationLink(deps.publicUrl, deps.shortCodes, invitation.id);
      const until = dateFormat.format(invitation.expires_at);
      const greeting = invitation.name ? `Hello ${invitation.name},` : 'Hello,';
      const opening = `you are invited to ${productName}.`;
      const closing = `The link is for ${invitation.email} and works until ${until}. If you did not expect it, you need do nothing. Questions? Write to ${supportEmail}.`;
      return {
        to: { name: invitation.name, address: invitation.email },
        subject: `Your invitation to ${productName}`,
        text: [greeting, opening, invitation.message, `Open this link to sign up:\n${link}`, closing]
          .filter(Boolean)
          .join('\n\n'),
        html: page(
          `<p style="margin:0 0 16px">${escapeHtml(greeting)}</p>
<p style="margin:0 0 16px">${escapeHtml(opening)}</p>
${invitation.message ? `<p style="margin:0 0 16px;padding-left:12px;border-left:3px solid #9db2c8;white-space:pre-line">${escapeHtml(invitation.message)}</p>` : ''}
<p style="margin:24px 0"><a href="${escapeHtml(link)}" style="display:inline-block;padding:12px 24px;border-radius:8px;background:#1f5f8b;color:#ffffff;text-decoration:none;font-weight:600">Sign up</a></p>
<p style="margin:0;color:#5b6770;font-size:14px">${escapeHtml(closing)}</p>`,
        ),
      };
    },
    sent: (id) => setMailState(database, id, 'sent', null),
    failed: (id, error, final) => setMailState(database, id, final ? 'failed' : 'queued', error),
  };
}

function page(content: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"></head>
<body style="margin:0;padding:24px;font:16px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif"><div style="max-width:560px;margin:0 auto">${content}</div></body></html>`;
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] as string);
}
