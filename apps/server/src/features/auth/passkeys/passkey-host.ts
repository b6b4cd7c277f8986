import { StartUpError } from '../../../platform/config/start-up-error.ts';
import { rowsOf, type Queryable } from '../../../platform/database/database.ts';

/** Throws if passkeys of another host exist, which would not work, unless the setting allows it. */
export async function checkPasskeyHost(
  database: Queryable,
  { rpId, allowsOtherHosts }: { rpId: string; allowsOtherHosts: boolean },
): Promise<void> {
  if (allowsOtherHosts) return;
  const rows = await rowsOf<{ host: string; count: number }>(database, {
    text: 'select rp_id as host, count(*) as count from passkeys where rp_id <> $1 group by rp_id order by 2 desc, 1 limit 5',
    values: [rpId],
  });
  if (rows.length === 0) return;
  const unusable = rows.map(({ host, count }) => `${count} of ${host}`).join(', ');
  throw new StartUpError(
    `Passkeys would be lost: ${unusable}. They belong to the host of PUBLIC_URL, which is ${rpId} now, and browsers offer them nowhere else.
Set PUBLIC_URL back to that host, or set PASSKEYS_OF_OTHER_HOST=keep to start anyway. Those people then sign in with an e-mailed code and create a new passkey. The old ones work again once PUBLIC_URL is changed back.`,
  );
}
