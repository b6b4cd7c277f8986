/** What weakens the safety of this installation and cannot be refused at the start, since it may be meant so. */
import { say, type TextDefinition } from '@vestibule/contract/texts/text';
import { listWeaknesses, weaknesses } from '@vestibule/contract/settings/security-warnings';
import type { Config } from '../../platform/config/read-config.ts';
import { isLoopback } from '../../platform/config/loopback.ts';
import { isPlainConnection } from '../../platform/config/plain-database.ts';
import { isNobodys } from '../../platform/config/sender.ts';
import { rowsOf, type Queryable } from '../../platform/database/database.ts';
import { implement, type Implementation } from '../../platform/http/implement.ts';
import { mailConnectionTo } from '../../platform/mail/smtp.ts';
import type { CurrentSettings, SettingsStore } from './settings-store.ts';

type DatabaseFacts = { owns_log: boolean; is_local: boolean; is_encrypted: boolean };

type Deps = { database: Queryable; config: Config; settings: SettingsStore };

/** All that is found now, the worst first. */
export async function findWeaknesses({ database, config, settings }: Deps): Promise<TextDefinition[]> {
  const rows = await rowsOf<DatabaseFacts>(database, {
    text: `select pg_has_role(relowner, 'MEMBER') as owns_log,
             inet_client_addr() is null or inet_client_addr() = inet_server_addr()
               or inet_client_addr() <<= '127.0.0.0/8' as is_local,
             coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as is_encrypted
           from pg_class where oid = 'audit_log'::regclass`,
  });
  return judge(rows[0] as DatabaseFacts, config, await settings.current());
}

/** What follows from the facts; apart, because few of them can be brought about in a test. */
export function judge(
  database: DatabaseFacts,
  config: Config,
  settings: Pick<CurrentSettings, 'supportEmail' | 'senderAddress'>,
): TextDefinition[] {
  const { databaseReadUrl, databaseOwnerUrl, traces } = config;
  const { clamdUrl, storage } = config.attachments;
  const endpoint = storage?.url.searchParams.get('endpoint') ?? null;
  const isPlain = (address: string | null, protocol: string) =>
    address !== null && address.startsWith(protocol) && !isLoopback(new URL(address).hostname);
  const found: [boolean, TextDefinition][] = [
    [config.isDemonstration, weaknesses.demonstration],
    [database.owns_log, weaknesses.logOwner],
    [
      config.smtpUrl !== null && mailConnectionTo(config.smtpUrl, config.smtpAllowsPlainText) === 'plain',
      weaknesses.plainMail,
    ],
    [!database.is_local && !database.is_encrypted, weaknesses.plainDatabase],
    // Of these two no connection is at hand: one goes elsewhere, the other is closed once the server has started.
    [databaseReadUrl !== null && isPlainConnection(databaseReadUrl), weaknesses.plainReplica],
    [databaseOwnerUrl !== null && isPlainConnection(databaseOwnerUrl), weaknesses.plainOwner],
    [isPlain(endpoint, 'http:'), weaknesses.plainStorage],
    [isPlain(clamdUrl, 'tcp:'), weaknesses.plainScanner],
    // Traces name nobody; what opens their receiver does.
    [
      traces !== null && Object.keys(traces.headers).length > 0 && isPlain(traces.address, 'http:'),
      weaknesses.plainTraces,
    ],
    [config.webhooksToPrivateAddresses, weaknesses.privateWebhooks],
    [config.previousSecret !== null, weaknesses.previousSecret],
    [
      config.isPublic &&
        (isNobodys(settings.supportEmail) || (config.smtpUrl !== null && isNobodys(settings.senderAddress))),
      weaknesses.exampleAddress,
    ],
  ];
  return found.flatMap(([isSo, weakness]) => (isSo ? [weakness] : []));
}

/** `refusedPieces` has what a proxy was seen to refuse since the start. */
export function weaknessList(
  deps: Deps & { refusedPieces: { smallest(): number | null } },
): Implementation[] {
  return [
    implement(listWeaknesses, async () => {
      const found = (await findWeaknesses(deps)).map((weakness) => say(weakness));
      const size = deps.refusedPieces.smallest();
      return { weaknesses: size === null ? found : [...found, say(weaknesses.proxyLimit, { size })] };
    }),
  ];
}
