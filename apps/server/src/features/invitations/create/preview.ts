import { previewInvitation } from '@vestibule/contract/invitations/preview';
import { implement, type Implementation } from '../../../platform/http/implement.ts';
import { writeInvitationMail } from '../../mail/templates/invitation-mails.ts';
import { inColorScheme } from '../../mail/templates/layout.ts';
import type { SettingsStore } from '../../settings/settings-store.ts';

const day = 24 * 60 * 60_000;

export function preview(deps: {
  settings: SettingsStore;
  publicUrl: string;
  now: () => number;
}): Implementation {
  return implement(previewInvitation, async ({ body, caller }) => {
    const site = await deps.settings.current();
    const mail = writeInvitationMail(body.language ?? site.mailLanguage, {
      to: { name: body.name, address: body.email || 'anna@example.com' },
      site: { ...site, publicUrl: deps.publicUrl },
      // Not a valid code.
      link: `${deps.publicUrl}/signup?i=EXAMPLE`,
      expiresAt: new Date(deps.now() + (body.lifetimeDays ?? site.invitationLifetimeDays) * day),
      message: body.message.trim(),
      invitedBy: { name: caller.displayName, address: caller.email },
    });
    return { subject: mail.subject, html: inColorScheme(mail.html, 'light') };
  });
}
