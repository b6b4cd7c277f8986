/** Security warnings about the configuration that do not prevent a start, since they may be intended. */
import { createMessage, type MessageDefinition } from '@vestibule/contract/texts/text';
import { listSecurityWarnings, securityWarnings } from '@vestibule/contract/settings/security-warnings';
import type { Config } from '../../platform/config/read-config.ts';
import { isLoopback, isReservedDomain } from '../../platform/config/addresses.ts';
import { rowsOf, type Queryable } from '../../platform/database/database.ts';
import { implement, type Implementation } from '../../platform/http/implement.ts';
import { mailConnectionTo } from '../../platform/mail/smtp.ts';
import type { CurrentSettings, SettingsStore } from './settings-store.ts';

type DatabaseFacts = { owns_log: boolean; is_local: boolean; is_encrypted: boolean };

type Deps = { database: Queryable; config: Config; settings: SettingsStore };

/** Returns all current warnings, most severe first. */
export async function findSecurityWarnings({
  database,
  config,
  settings,
}: Deps): Promise<MessageDefinition[]> {
  const rows = await rowsOf<DatabaseFacts>(database)`
    select pg_has_role(relowner, 'MEMBER') as owns_log,
      inet_client_addr() is null or inet_client_addr() = inet_server_addr()
        or inet_client_addr() <<= '127.0.0.0/8' as is_local,
      coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as is_encrypted
    from pg_class where oid = 'audit_log'::regclass`;
  return evaluateWarnings(rows[0] as DatabaseFacts, config, await settings.current());
}

/** Separate from the queries, since tests cannot create most of these facts. */
export function evaluateWarnings(
  database: DatabaseFacts,
  config: Config,
  settings: Pick<CurrentSettings, 'supportEmail' | 'senderAddress'>,
): MessageDefinition[] {
  const { clamdUrl, storage } = config.attachments;
  const endpoint = storage?.url.searchParams.get('endpoint') ?? null;
  const isPlain = (address: string | null, protocol: string) =>
    address !== null && address.startsWith(protocol) && !isLoopback(new URL(address).hostname);
  const found: [boolean, MessageDefinition][] = [
    [config.isDemonstration, securityWarnings.demonstration],
    [
      config.trustProxy && config.trustProxy.some((network) => network.endsWith('/0')),
      securityWarnings.anyProxy,
    ],
    [database.owns_log, securityWarnings.logOwner],
    [
      config.smtpUrl !== null && mailConnectionTo(config.smtpUrl, config.smtpAllowsPlainText) === 'plain',
      securityWarnings.plainMail,
    ],
    [!database.is_local && !database.is_encrypted, securityWarnings.plainDatabase],
    [isPlain(endpoint, 'http:'), securityWarnings.plainStorage],
    [isPlain(clamdUrl, 'tcp:'), securityWarnings.plainScanner],
    [config.previousSecret !== null, securityWarnings.previousSecret],
    [
      config.isPublic &&
        (isReservedDomain(settings.supportEmail) ||
          (config.smtpUrl !== null && isReservedDomain(settings.senderAddress))),
      securityWarnings.exampleAddress,
    ],
  ];
  return found.flatMap(([applies, warning]) => (applies ? [warning] : []));
}

export const securityWarningRoutes = (deps: Deps): Implementation[] => [
  implement(listSecurityWarnings, async () => ({
    weaknesses: (await findSecurityWarnings(deps)).map((warning) => createMessage(warning)),
  })),
];
