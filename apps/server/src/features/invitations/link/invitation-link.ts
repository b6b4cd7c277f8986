import type { ShortCodes } from './short-code.ts';

/** The link that goes into mails and onto clipboards. `publicUrl` is the configured one, whatever a request says. */
export function invitationLink(
  publicUrl: string,
  shortCodes: ShortCodes,
  invitation: { id: string; code_version: number },
): string {
  return `${publicUrl}/signup?i=${shortCodes.codeOf(invitation.id, invitation.code_version)}`;
}
