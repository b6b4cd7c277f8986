/** Routes of a migration's personal link. Opening it stores the time and changes nothing else, since mail scanners open links. */
import type { SignInMethod } from '@vestibule/contract/configuration';
import {
  getMigrationLink,
  migrationProblems,
  startMigration,
} from '@vestibule/contract/identity-migrations/link';
import { fail } from '../../../platform/errors/failure.ts';
import { implement, type Implementation, type Origin } from '../../../platform/http/implement.ts';
import { findPerson } from '../../people/people-store.ts';
import { findMigrationByCode, markOpened, migrationStateOf, type MigrationRow } from './migration-store.ts';
import { createCodeLookup } from '../provision-user.ts';
import type { SignInContext } from '../sign-in-context.ts';

export function migrationLinkRoutes(deps: SignInContext): Implementation[] {
  const { database, now } = deps;
  const lookUp = createCodeLookup(deps, { name: 'unknown move', maximum: 10, windowSeconds: 60 });

  return [
    implement(getMigrationLink, async ({ body, origin }) => {
      const { migration, method, state } = await findLink(body.code, origin);
      if (!migration || !method || state === 'ended')
        return { state: 'ended' as const, way: null, email: null };
      if (state === 'open') await markOpened(database, migration.id, new Date(now()));
      return { state, way: method, email: state === 'open' ? migration.email : null };
    }),

    implement(startMigration, async ({ body, origin, cookies, log }) => {
      await deps.authorization.countStart(origin);
      const { migration, state } = await findLink(body.code, origin);
      const client = migration && deps.clients.get(migration.way);
      if (!client || state !== 'open') throw fail(migrationProblems.ended);
      return deps.authorization.start(
        client,
        { returnTo: undefined, purpose: 'move', personId: migration.person_id, migrationId: migration.id },
        { loginHint: migration.email, language: body.language },
        { cookies, origin, log },
      );
    }),
  ];

  async function findLink(
    code: string,
    origin: Origin,
  ): Promise<{
    migration: MigrationRow | null;
    method: SignInMethod | null;
    state: 'open' | 'moved' | 'ended';
  }> {
    const migration = await lookUp(origin, () => findMigrationByCode(database, deps.shortCodes.hashOf(code)));
    if (!migration) return { migration: null, method: null, state: 'ended' };
    const method = deps.signInMethods.find(({ id }) => id === migration.way) ?? null;
    const person = await findPerson(database, migration.person_id);
    const storedState = migrationStateOf(migration, now());
    if (!method || person?.status !== 'active' || storedState === 'undone' || storedState === 'expired')
      return { migration, method, state: 'ended' };
    return { migration, method, state: storedState === 'moved' ? 'moved' : 'open' };
  }
}
