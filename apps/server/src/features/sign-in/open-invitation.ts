/** The open invitation behind the short code of a link, for whoever begins a sign-in with it. */
import type { Database } from '../../platform/database/database.ts';
import { findInvitationByCodeHash, isOpen, type InvitationRow } from '../invitations/invitation-store.ts';
import type { ShortCodes } from '../invitations/link/short-code.ts';

export type FindOpenInvitation = (code: string) => Promise<InvitationRow | null>;

export function createFindOpenInvitation(deps: {
  database: Database;
  shortCodes: ShortCodes;
  now: () => number;
}): FindOpenInvitation {
  return async (code) => {
    const found = await findInvitationByCodeHash(deps.database, deps.shortCodes.hashOf(code.trim()));
    return found && !found.isReplaced && isOpen(found, deps.now()) ? found : null;
  };
}
