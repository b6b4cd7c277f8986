/** What whoever has the personal link of a move may do with it. Opening it changes nothing but that it was opened. */
import type { SignInMethod } from '@vestibule/contract/configuration';
import {
  getMigrationLink,
  migrationProblems,
  startMigration,
} from '@vestibule/contract/identity-migrations/link';
import { createRateLimit } from '../../../platform/database/rate-limit.ts';
import { fail, assertWithinRateLimit } from '../../../platform/errors/failure.ts';
import { implement, type Implementation, type Origin } from '../../../platform/http/implement.ts';
import { networkOf } from '../../../platform/http/ip-network.ts';
import { findPerson } from '../../people/people-store.ts';
import { findMigrationByCode, markOpened, migrationStateOf, type MigrationRow } from './migration-store.ts';
import type { SignInContext } from '../sign-in-context.ts';

export function migrationLinkRoutes(deps: SignInContext): Implementation[] {
  const { database, now } = deps;
  const misses = createRateLimit(deps, { name: 'unknown move', maximum: 10, windowSeconds: 60 });

  return [
    implement(getMigrationLink, async ({ body, origin }) => {
      const { move, way, state } = await lookBehind(body.code, origin);
      if (!move || !way || state === 'ended') return { state: 'ended' as const, way: null, email: null };
      if (state === 'open') await markOpened(database, move.id, new Date(now()));
      return { state, way, email: state === 'open' ? move.email : null };
    }),

    implement(startMigration, async ({ body, origin, cookies, log }) => {
      await deps.authorization.countStart(origin);
      const { move, state } = await lookBehind(body.code, origin);
      const client = move && deps.clients.get(move.way);
      if (!client || state !== 'open') throw fail(migrationProblems.ended);
      return deps.authorization.start(
        client,
        { returnTo: undefined, purpose: 'move', personId: move.person_id, moveId: move.id },
        { loginHint: move.email, language: body.language },
        { cookies, origin, log },
      );
    }),
  ];

  /** What a code leads to. Whoever misses is slowed down, though a guess of 128 bits needs rather more. */
  async function lookBehind(
    code: string,
    origin: Origin,
  ): Promise<{ move: MigrationRow | null; way: SignInMethod | null; state: 'open' | 'moved' | 'ended' }> {
    const network = networkOf(origin.address);
    const [waiting, move] = await Promise.all([
      misses.wait(network),
      findMigrationByCode(database, deps.shortCodes.hashOf(code)),
    ]);
    assertWithinRateLimit(waiting);
    if (!move) {
      assertWithinRateLimit(await misses.take(network));
      return { move: null, way: null, state: 'ended' };
    }
    const way = deps.signInMethods.find(({ id }) => id === move.way) ?? null;
    const person = await findPerson(database, move.person_id);
    const moveState = migrationStateOf(move, now());
    if (!way || person?.status !== 'active' || moveState === 'undone' || moveState === 'expired')
      return { move, way, state: 'ended' };
    return { move, way, state: moveState === 'moved' ? 'moved' : 'open' };
  }
}
