/** Moves of people to another way to sign in, as administrators begin, follow and end them. */
import type { SignInMethod } from '@vestibule/contract/configuration';
import {
  removePreviousIdentities,
  countMigrations,
  listMigrations,
  migrationErrors,
  startMigrations,
  previewMigrationMail,
  remindMigrations,
  cancelMigrations,
  type IdentityMigration,
} from '@vestibule/contract/identity-migrations';
import { signInStartErrors } from '@vestibule/contract/sign-in';
import { runBulkAction } from '../../../platform/lists/bulk-action.ts';
import { rowsOf, type Queryable } from '../../../platform/database/database.ts';
import { createListReader } from '../../../platform/lists/list-page.ts';
import { fail } from '../../../platform/errors/failure.ts';
import { implement, type Implementation } from '../../../platform/http/implement.ts';
import { valuesOf } from '../../../platform/values-of.ts';
import { inColorScheme } from '../../mail/templates/layout.ts';
import { peopleList, type PersonRow } from '../../people/people-store.ts';
import { createMigrationEnder } from './end-migrations.ts';
import { createMigrationStarter } from './start-migrations.ts';
import { writeSampleMail } from './migration-mail.ts';
import {
  countMigrationsTo,
  countPreviousMethods,
  findMethodsOf,
  migrationList,
  migrationStateOf,
  type MigrationRow,
} from './migration-store.ts';
import type { SignInContext } from '../sign-in-context.ts';

export function migrationRoutes(deps: SignInContext): Implementation[] {
  const { database, now } = deps;
  const changes = createMigrationStarter(deps);
  const ends = createMigrationEnder(deps);
  const people = createListReader<PersonRow, typeof peopleList>(database, peopleList, now);
  const moves = createListReader<MigrationRow, typeof migrationList>(database, migrationList, now);

  /** One that people can be led to by the server. */
  function requireTarget(id: string): SignInMethod {
    const way = deps.signInMethods.find((one) => one.id === id);
    if (!way || !deps.clients.has(id)) throw fail(signInStartErrors.wayUnknown);
    return way;
  }

  function requireMail(): void {
    if (!deps.mail.sends) throw fail(migrationErrors.noMail);
  }

  return [
    implement(listMigrations, async ({ query }) => {
      const { rows, total } = await moves.page(query);
      return { rows: await toMigrations(deps, rows), total };
    }),

    implement(countMigrations, async ({ query }) => {
      const { id } = requireTarget(query.way);
      const [counts, oldWays] = await Promise.all([
        countMigrationsTo(database, id, new Date(now())),
        countPreviousMethods(database, id),
      ]);
      return {
        ...counts,
        oldWays: oldWays.map((old) => ({ ...old, name: nameOf(deps.signInMethods, old.way) })),
      };
    }),

    implement(previewMigrationMail, async ({ query, caller }) => {
      const to = { name: caller.displayName, address: caller.email };
      const mail = await writeSampleMail(deps, to, requireTarget(query.way), query.language);
      return { subject: mail.subject, text: mail.text, html: inColorScheme(mail.html, query.scheme) };
    }),

    implement(startMigrations, ({ body, ...by }) => {
      const way = requireTarget(body.way);
      requireMail();
      return runBulkAction(people, body.selection, (ids) => changes.begin(ids, way, by), now);
    }),

    implement(remindMigrations, ({ body, ...by }) => {
      requireMail();
      return runBulkAction(moves, body.selection, (ids) => changes.remind(ids, by), now);
    }),

    implement(cancelMigrations, ({ body, ...by }) =>
      runBulkAction(moves, body.selection, (ids) => ends.undo(ids, by), now),
    ),

    implement(removePreviousIdentities, ({ body, ...by }) =>
      runBulkAction(moves, body.selection, (ids) => ends.close(ids, body.way, by), now),
    ),
  ];
}

const nameOf = (signInMethods: readonly SignInMethod[], id: string) =>
  signInMethods.find((way) => way.id === id)?.name ?? id;

async function toMigrations(
  { database, signInMethods, now }: SignInContext,
  rows: MigrationRow[],
): Promise<IdentityMigration[]> {
  const [waysOf, makers] = await Promise.all([
    findMethodsOf(database, valuesOf(rows, 'person_id')),
    findEmails(database, valuesOf(rows, 'made_by')),
  ]);
  return rows.map((row) => ({
    id: row.id,
    personId: row.person_id,
    email: row.email,
    displayName: row.display_name,
    way: row.way,
    wayName: nameOf(signInMethods, row.way),
    state: migrationStateOf(row, now()),
    mail: row.mail,
    mailError: row.mail_error,
    madeBy: makers.get(row.made_by) ?? null,
    madeAt: row.made_at.toISOString(),
    remindedAt: row.reminded_at?.toISOString() ?? null,
    expiresAt: row.expires_at.toISOString(),
    openedAt: row.opened_at?.toISOString() ?? null,
    movedAt: row.moved_at?.toISOString() ?? null,
    otherWays: (waysOf.get(row.person_id) ?? [])
      .filter((way) => way !== row.way)
      .map((way) => nameOf(signInMethods, way)),
  }));
}

async function findEmails(database: Queryable, ids: string[]): Promise<Map<string, string>> {
  const rows = await rowsOf<{ id: string; email: string }>(database, {
    text: 'select id, email from people where id = any($1)',
    values: [ids],
  });
  return new Map(rows.map(({ id, email }) => [id, email]));
}
