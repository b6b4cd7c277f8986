import { changePreferences } from '@vestibule/contract/profile/me';
import {
  dataDownloadsPerHour,
  downloadMyData,
  getProfile,
  profileErrors,
  signOutEverywhere,
} from '@vestibule/contract/profile';
import { signInsPerHour } from '@vestibule/contract/rules/limits';
import type { Area } from '../../platform/area.ts';
import { personAudit, tokenAudit, recordEach } from '../../platform/audit/audit-log.ts';
import {
  execute,
  onlyRowOf,
  rowsOf,
  type Queryable,
  type DatabaseDeps,
} from '../../platform/database/database.ts';
import { createRateLimit, perHour } from '../../platform/database/rate-limit.ts';
import { assertWithinRateLimit } from '../../platform/errors/failure.ts';
import { implement, type Actor, type Caller } from '../../platform/http/implement.ts';
import { findPeopleByEmail } from '../people/people-by-email.ts';
import { endSignInsSql, listSignInRows, toSignIn, type SignInRow } from '../people/people-store.ts';
import { createMyData } from './my-data.ts';

/** Limit of audit entries about signing out everywhere, per person. It equals the limit of sign-ins. */
export const signOutLogLimit = perHour('signing out everywhere', signInsPerHour);

type ProfileRow = {
  joined_at: Date;
  invited_by: string | null;
  tokens_valid_after: Date | null;
  working_tokens: number;
};

export function profile(
  deps: DatabaseDeps & { personalDataParts: readonly { name: string; text: string }[] },
): Area {
  const { database, now } = deps;
  const downloads = createRateLimit(deps, perHour('my data', dataDownloadsPerHour));
  const logLimit = createRateLimit(deps, signOutLogLimit);

  const readProfile = async (personId: string): Promise<ProfileRow> =>
    onlyRowOf<ProfileRow>(database)`
      select joined_at, invited_by, tokens_valid_after,
        (select count(*) from personal_tokens
         where person_id = people.id and revoked_at is null and expires_at > ${new Date(now())}) as working_tokens
      from people where id = ${personId}`;

  const routes = [
    implement(getProfile, async ({ caller }) => {
      const [person, signIns] = await Promise.all([
        readProfile(caller.id),
        listSignInRows(database, caller.id),
      ]);
      const personByEmail = await findPeopleByEmail(database, [person.invited_by]);
      return {
        joinedAt: person.joined_at.toISOString(),
        invitedBy: person.invited_by,
        inviter: personByEmail(person.invited_by),
        signIns: signIns.map((row) => toOwnSignIn(row, caller, person.tokens_valid_after)),
        workingTokens: person.working_tokens,
      };
    }),

    // Not logged: it concerns only the caller, and trying themes would fill the log.
    implement(
      changePreferences,
      async ({ caller, body }) =>
        onlyRowOf<{ theme: string | null; language: string | null }>(database)`
        update people set theme = case when ${body.theme !== undefined} then ${body.theme ?? null} else theme end,
          language = case when ${body.language !== undefined} then ${body.language ?? null} else language end
        where id = ${caller.id} returning theme, language`,
    ),

    implement(signOutEverywhere, async ({ caller, body, origin }) => {
      const at = new Date(now());
      await database.transaction(async (transaction) => {
        // Never rejected: a device may be stolen. Only the number of audit entries is limited.
        const isLogged = (await logLimit.take(caller.id, 1, transaction)) === 0;
        await execute(transaction, `${endSignInsSql} where id = $1`, [caller.id, at]);
        if (isLogged) await personAudit.record(transaction, caller, 'person.signed_out', { caller, origin });
        if (body.revokeTokens) await revokeTokens(transaction, at, { caller, origin });
      });
      return { at: at.toISOString() };
    }),

    implement(downloadMyData, async ({ caller, origin }) => {
      assertWithinRateLimit(await downloads.take(caller.id), profileErrors.tooManyDownloads);
      const at = new Date(now());
      await personAudit.record(database, caller, 'person.data_downloaded', { caller, origin });
      return {
        type: 'application/json',
        fileName: `my-data-${at.toISOString().slice(0, 10)}.json`,
        body: await createMyData(database, caller.id, at, deps.personalDataParts),
      };
    }),
  ];
  return { routes };
}

async function revokeTokens(transaction: Queryable, at: Date, { caller, origin }: Actor): Promise<void> {
  const rows = await rowsOf<{ id: string; name: string }>(transaction)`
    update personal_tokens set revoked_at = ${at}
    where person_id = ${caller.id} and revoked_at is null and expires_at > ${at} returning id, name`;
  await recordEach(transaction, rows, (row) =>
    tokenAudit.entry(row, 'token.revoked', { caller, origin }, { owner: caller.email }),
  );
}

/**
 * Converts a row. `row.session` is `auth_time` in seconds if the provider reports it (`signInKeyOf` in admission.ts);
 * otherwise the row's time is used.
 */
function toOwnSignIn(row: SignInRow, caller: Caller, validAfter: Date | null) {
  const startedAt = /^\d+$/.test(row.session) ? Number(row.session) * 1000 : row.at.getTime();
  return {
    ...toSignIn(row),
    current: startedAt === caller.signedInAt,
    ended: startedAt <= (validAfter?.getTime() ?? 0),
  };
}
