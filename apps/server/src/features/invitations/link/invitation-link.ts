import type { ShortCodes } from './short-code.ts';

/** `publicUrl` is the configured address, never the host of a request. */
export function invitationLink(
  publicUrl: string,
  shortCodes: ShortCodes,
  invitation: { id: string; code_version: number },
): string {
  return `${publicUrl}/signup?i=${shortCodes.codeOf(invitation.id, invitation.code_version)}`;
}
