import type { ShortCodes } from './short-code.ts';

/** The link that goes into mails and onto clipboards. `publicUrl` is the configured one, whatever a request says. */
export function invitationLink(publicUrl: string, shortCodes: ShortCodes, invitationId: string): string {
  return `${publicUrl}/signup?i=${shortCodes.codeOf(invitationId)}`;
}
