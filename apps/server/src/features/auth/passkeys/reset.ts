/** Sign-in reset for lost or stolen passkeys. It takes effect after a delay, in which it can be undone. */
import {
  allowCodes,
  listPasskeysOf,
  resetErrors,
  resetSignIn,
  resetUndoMinutes,
  undoResetSignIn,
} from '@vestibule/contract/people/sign-in-reset';
import { personAudit, recordEach } from '../../../platform/audit/audit-log.ts';
import {
  execute,
  rawSql,
  rowsOf,
  type DatabaseDeps,
  type Queryable,
} from '../../../platform/database/database.ts';
import { fail } from '../../../platform/errors/failure.ts';
import { implement, type Implementation } from '../../../platform/http/implement.ts';
import type { MailQueue } from '../../../platform/mail/mail-queue.ts';
import { valuesOf } from '../../../platform/values-of.ts';
import { findPeopleByEmail } from '../../people/people-by-email.ts';
import { endSignInsSql, lockPeople, requirePerson } from '../../people/people-store.ts';
import { createCodeLimits } from '../email-codes/code-limits.ts';
import type { Authenticator } from './authenticator.ts';
import { toPasskey } from './my-passkeys.ts';
import { signInResetMailName } from './passkey-changes.ts';
import { findUserHandle, listPasskeys } from './passkey-store.ts';

type Deps = DatabaseDeps & { mail: MailQueue };

type ResetRow = { asked_by: string; takes_effect_at: Date };
async function toPendingReset(database: Queryable, { asked_by: requestedBy, takes_effect_at: at }: ResetRow) {
  const peopleByEmail = await findPeopleByEmail(database, [requestedBy]);
  return {
    takesEffectAt: at.toISOString(),
    by: requestedBy,
    byName: peopleByEmail(requestedBy)?.displayName ?? null,
  };
}

export function resetRoutes(deps: Deps & { authenticator: Authenticator }): Implementation[] {
  const { database, now } = deps;
  const codeLimits = createCodeLimits(deps);

  return [
    implement(listPasskeysOf, async ({ params }) => {
      const person = await requirePerson(database, params.personId);
      const { id } = person;
      const rows = await rowsOf<ResetRow>(database)`
        select asked_by, takes_effect_at from sign_in_resets where person_id = ${id}`;
      return {
        rows: (await listPasskeys(database, id)).map((row) => toPasskey(row, deps.authenticator.rpId)),
        has: (await findUserHandle(database, id)) !== null,
        reset: rows[0] ? await toPendingReset(database, rows[0]) : null,
        codesBlocked: await codeLimits.areBlocked(person),
      };
    }),

    implement(allowCodes, async ({ params, ...actor }) => {
      const person = await requirePerson(database, params.personId);
      await database.transaction(async (transaction) => {
        await codeLimits.lift([person], transaction);
        await personAudit.record(transaction, person, 'person.codes_allowed', actor);
      });
      return { id: person.id };
    }),

    implement(resetSignIn, async ({ params, ...actor }) => {
      const person = await requirePerson(database, params.personId);
      if ((await findUserHandle(database, person.id)) === null) throw fail(resetErrors.nothing);
      return database.transaction(async (transaction) => {
        const rows = await rowsOf<ResetRow & { is_new: boolean }>(transaction, {
          // A second request changes nothing. An updated row has a non-zero xmax.
          text: `insert into sign_in_resets as waiting (person_id, asked_by, takes_effect_at) values ($1, $2, $3)
                 on conflict (person_id) do update set asked_by = waiting.asked_by
                 returning asked_by, takes_effect_at, xmax = 0 as is_new`,
          values: [person.id, actor.caller.email, new Date(now() + resetUndoMinutes * 60_000)],
        });
        const reset = rows[0] as ResetRow & { is_new: boolean };
        if (reset.is_new)
          await personAudit.record(transaction, person, 'person.sign_in_reset', actor, {
            takesEffectAt: reset.takes_effect_at.toISOString(),
          });
        return toPendingReset(transaction, reset);
      });
    }),

    implement(undoResetSignIn, async ({ params, ...actor }) => {
      const person = await requirePerson(database, params.personId);
      return database.transaction(async (transaction) => {
        const rowCount = await execute(transaction)`
          delete from sign_in_resets where person_id = ${person.id} and takes_effect_at > ${new Date(now())}`;
        if (rowCount !== 1) throw fail(resetErrors.over);
        await personAudit.record(transaction, person, 'person.sign_in_reset_undone', actor);
        return { id: person.id };
      });
    }),
  ];
}

const batchSize = 100;

/** Applies due resets. Several processes may run it concurrently. */
export async function applyDueResets({ database, mail, now }: Deps): Promise<void> {
  for (let done = batchSize; done === batchSize;) {
    done = await database.transaction(async (transaction) => {
      const at = new Date(now());
      const candidates = await rowsOf<{ id: string }>(transaction)`
        select person_id as id from sign_in_resets where takes_effect_at <= ${at} order by takes_effect_at
          limit ${rawSql(batchSize)}`;
      // Same lock order as adding and deleting passkeys, so these finish before or wait.
      await lockPeople(transaction, valuesOf(candidates, 'id'));
      const dueResets = await rowsOf<{ id: string }>(transaction)`
        delete from sign_in_resets where person_id = any(${candidates.map(({ id }) => id)}) and takes_effect_at <= ${at}
          returning person_id as id`;
      if (dueResets.length === 0) return 0;
      const ids = dueResets.map(({ id }) => id);
      const removed = await rowsOf<{ person_id: string }>(transaction)`
        delete from passkeys where person_id = any(${ids}) returning person_id`;
      const people = await rowsOf<{ id: string; email: string }>(transaction, {
        text: `${endSignInsSql} where id = any($1) returning id, email`,
        values: [ids, at],
      });
      // The mail asks the person to sign in with a code, which earlier codes must not block.
      await createCodeLimits({ database, now }).lift(people, transaction);
      const actor = { caller: null, origin: { requestId: '', address: '' } };
      await recordEach(transaction, people, (person) =>
        personAudit.entry(person, 'person.passkeys_removed', actor, {
          count: removed.filter(({ person_id: of }) => of === person.id).length,
        }),
      );
      await mail.queue(
        transaction,
        people.map(({ id: subjectId }) => ({ template: signInResetMailName, subjectId })),
      );
      return dueResets.length;
    });
  }
}
