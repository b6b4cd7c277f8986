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
  IdentityMigration,
} from '@vestibule/contract/identity-migrations';
import { signInStartErrors } from '@vestibule/contract/sign-in';
import { runBulkAction } from '../../../platform/lists/bulk-action.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import { findByKey } from '../../../platform/database/find-by-key.ts';
import { toContract } from '../../../platform/database/to-contract.ts';
import { createListReader } from '../../../platform/lists/list-page.ts';
import { fail } from '../../../platform/errors/failure.ts';
import { implement, type Implementation } from '../../../platform/http/implement.ts';
import { valuesOf } from '../../../platform/values-of.ts';
import { inColorScheme } from '../../mail/templates/layout.ts';
import { peopleList, type PersonRow } from '../../people/people-store.ts';
import { createMigrationChanges } from './migration-changes.ts';
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
  const changes = createMigrationChanges(deps);
  const people = createListReader<PersonRow, typeof peopleList>(database, peopleList, now).in('site');
  const migrations = createListReader<MigrationRow, typeof migrationList>(database, migrationList, now).in(
    'site',
  );

  /** Throws unless the method is an OpenID Provider of this server. */
  function requireProvider(id: string): SignInMethod {
    const method = deps.signInMethods.find((candidate) => candidate.id === id);
    if (!method || !deps.clients.has(id)) throw fail(signInStartErrors.wayUnknown);
    return method;
  }

  function requireMail(): void {
    if (!deps.mail.sends) throw fail(migrationErrors.noMail);
  }

  return [
    implement(listMigrations, async ({ query }) => {
      const { rows, total } = await migrations.page(query);
      return { rows: await toMigrations(deps, rows), total };
    }),

    implement(countMigrations, async ({ query }) => {
      const { id } = requireProvider(query.way);
      const [counts, previousMethods] = await Promise.all([
        countMigrationsTo(database, id, new Date(now())),
        countPreviousMethods(database, id),
      ]);
      return {
        ...counts,
        oldWays: previousMethods.map((row) => ({ ...row, name: nameOf(deps.signInMethods, row.way) })),
      };
    }),

    implement(previewMigrationMail, async ({ query, caller }) => {
      const to = { name: caller.displayName, address: caller.email };
      const mail = await writeSampleMail(deps, to, requireProvider(query.way), query.language);
      return { subject: mail.subject, text: mail.text, html: inColorScheme(mail.html, query.scheme) };
    }),

    implement(startMigrations, ({ body, ...actor }) => {
      const { selection } = body;
      const { id: methodId } = requireProvider(body.way);
      requireMail();
      const replacesAccount = 'ids' in selection && selection.ids.length === 1;
      return runBulkAction(
        people,
        selection,
        (ids) => changes.start(ids, { methodId, replacesAccount }, actor),
        now,
      );
    }),

    implement(remindMigrations, ({ body, ...actor }) => {
      requireMail();
      return runBulkAction(migrations, body.selection, (ids) => changes.remind(ids, actor), now);
    }),

    implement(cancelMigrations, ({ body, ...actor }) =>
      runBulkAction(migrations, body.selection, (ids) => changes.cancel(ids, actor), now),
    ),

    implement(removePreviousIdentities, ({ body, ...actor }) =>
      runBulkAction(migrations, body.selection, (ids) => changes.removePrevious(ids, body.way, actor), now),
    ),
  ];
}

const nameOf = (signInMethods: readonly SignInMethod[], id: string) =>
  signInMethods.find((method) => method.id === id)?.name ?? id;

const stored = toContract(IdentityMigration);

async function toMigrations(
  { database, signInMethods, now }: SignInContext,
  rows: MigrationRow[],
): Promise<IdentityMigration[]> {
  const [methodsOf, emailOf] = await Promise.all([
    findMethodsOf(database, valuesOf(rows, 'person_id')),
    findEmails(database, valuesOf(rows, 'created_by')),
  ]);
  return rows.map((row) => ({
    ...stored(row),
    wayName: nameOf(signInMethods, row.way),
    state: migrationStateOf(row, now()),
    madeBy: emailOf(row.created_by),
    madeAt: row.created_at.toISOString(),
    movedAt: row.completed_at?.toISOString() ?? null,
    otherWays: (methodsOf.get(row.person_id) ?? [])
      .filter((method) => method !== row.way)
      .map((method) => nameOf(signInMethods, method)),
  }));
}

const findEmails = (database: Queryable, ids: string[]) =>
  findByKey<string>(database, ids, {
    name: 'find-emails',
    text: 'select id as key, email as value from people where id = any($1)',
  });
