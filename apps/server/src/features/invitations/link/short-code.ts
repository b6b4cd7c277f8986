/**
 * Codes of invitation links: 22 base58 characters, 128 bits. A code is derived from the invitation id, its version and the
 * server secret, so a link can be copied again although only a keyed hash is stored.
 */
import { createKeyedHash } from '../../../platform/identity/keyed-hash.ts';
import { linkCodeAlphabet, linkCodeLength } from '@vestibule/contract/rules/link-code';
import { formatToken } from '../../../platform/identity/opaque-token.ts';

/** `secret` has at least 32 bytes. */
export function createShortCodes(secret: Buffer) {
  const deriveCode = createKeyedHash(secret, 'vestibule short code');
  const keyedHash = createKeyedHash(secret, 'vestibule short code at rest');
  return {
    /** Versions start at 0. Each version has another code. */
    codeOf: (invitationId: string, version = 0): string =>
      formatToken(
        deriveCode(version === 0 ? invitationId : `${invitationId}.${version}`).subarray(0, 16),
        linkCodeAlphabet,
        linkCodeLength,
      ),
    /** Hash for storage and lookup. Accepts any text, so that unknown codes run the same steps as valid ones. */
    hashOf: (code: string): Buffer => keyedHash(code),
  };
}

export type ShortCodes = ReturnType<typeof createShortCodes>;

/** `publicUrl` is the configured address, never the host of a request. */
export const invitationLink = (
  publicUrl: string,
  shortCodes: ShortCodes,
  invitation: { id: string; code_version: number },
): string => `${publicUrl}/signup?i=${shortCodes.codeOf(invitation.id, invitation.code_version)}`;
