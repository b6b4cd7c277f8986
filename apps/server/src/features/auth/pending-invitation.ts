import type { DatabaseDeps } from '../../platform/database/database.ts';
import { createRateLimit } from '../../platform/database/rate-limit.ts';
import { assertWithinRateLimit } from '../../platform/errors/failure.ts';
import type { Origin } from '../../platform/http/implement.ts';
import { networkOf } from '../../platform/http/ip-network.ts';
import { findInvitationByCodeHash, isOpen, type InvitationRow } from '../invitations/invitation-store.ts';
import { failedExchangeLimit } from '../invitations/link/link-routes.ts';
import type { ShortCodes } from '../invitations/link/short-code.ts';

/**
 * Returns null if no open invitation has the code. Such attempts count against the network; throws when there are too
 * many.
 */
export type FindPendingInvitation = (code: string, origin: Origin) => Promise<InvitationRow | null>;

export function createFindPendingInvitation(
  deps: DatabaseDeps & { shortCodes: ShortCodes },
): FindPendingInvitation {
  const failures = createRateLimit(deps, failedExchangeLimit);
  return async (code, origin) => {
    const network = networkOf(origin.address);
    const [retryAfterSeconds, invitation] = await Promise.all([
      failures.waitSeconds(network),
      findInvitationByCodeHash(deps.database, deps.shortCodes.hashOf(code)),
    ]);
    const pending =
      invitation && !invitation.isReplaced && isOpen(invitation, deps.now()) ? invitation : null;
    // Count before returning, so that concurrent guesses cannot exceed the limit.
    assertWithinRateLimit(retryAfterSeconds || (pending ? 0 : await failures.take(network)));
    return pending;
  };
}
