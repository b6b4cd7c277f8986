/**
 * Webhooks of administrators. Triggers on the audit log and on sign-ins (migration 022) insert messages into the outbox, in the
 * transaction of the change; send-webhooks.ts sends them.
 */
import {
  changeOrganizationWebhook,
  createOrganizationWebhook,
  OrganizationWebhookEvent,
  listOrganizationWebhookMessages,
  listOrganizationWebhooks,
  removeOrganizationWebhook,
  resendOrganizationWebhookMessage,
  rotateOrganizationWebhookSecret,
  testOrganizationWebhook,
} from '@vestibule/contract/organizations/webhooks';
import {
  changeWebhook,
  createWebhook,
  listWebhookMessages,
  listWebhooks,
  removeWebhook,
  resendWebhookMessage,
  rotateWebhookSecret,
  testsPerHour,
  testWebhook,
  webhookErrors,
  WebhookEvent,
  type WebhookMessage,
  webhooksMaximum,
} from '@vestibule/contract/webhooks';
import { requestErrors } from '@vestibule/contract/request-errors';
import type { Logger } from 'pino';
import type { Area } from '../../platform/area.ts';
import {
  execute,
  onlyRowOf,
  rawSql,
  rowOf,
  type CoreDeps,
  type DatabaseDeps,
  type QueryConfig,
  type Queryable,
} from '../../platform/database/database.ts';
import { createRateLimit, perHour } from '../../platform/database/rate-limit.ts';
import { assertWithinRateLimit, fail } from '../../platform/errors/failure.ts';
import {
  implementInScopes,
  type CallerOrganization,
  type ScopedActor,
} from '../../platform/http/implement.ts';
import { createOutboundHttp, UnsafeAddress, type OutboundHttp } from '../../platform/http/outbound-http.ts';
import type { Config } from '../../platform/config/read-config.ts';
import type { MailQueue } from '../../platform/mail/mail-queue.ts';
import type { GaugeDefinition } from '../../platform/telemetry/metrics.ts';
import { every } from '../../platform/timers.ts';
import { hourMs } from '../../platform/time-units.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import { createWebhookSender, testEvent, type HttpOf } from './send-webhooks.ts';
import { webhookMails } from './disable-webhook.ts';
import { createWebhookSecrets } from './webhook-secret.ts';
import {
  webhookAudit,
  changeAudited,
  deleteOldMessages,
  deleteMessagesOf,
  giveUpWaiting,
  readMessages,
  readWebhook,
  readWebhooks,
  updateWebhook,
} from './webhook-store.ts';

const messagesPerPage = 50;

type Deps = CoreDeps & {
  logger: Logger;
  mail: MailQueue;
  settings: SettingsStore;
  /** Client for webhooks of the site. */
  outboundHttp: OutboundHttp;
  config: Pick<Config, 'webhooksToPrivateAddresses' | 'providersOnPrivateAddresses'>;
  secret: Buffer;
  publicUrl: string;
  /** Events that extensions declare. */
  webhookEvents: readonly string[];
};

export function webhooks(deps: Deps): Area {
  const { database, now } = deps;
  const httpOf = createHttpOf(deps);
  const sender = createWebhookSender({ ...deps, httpOf });
  return {
    routes: [...webhookRoutes({ ...deps, httpOf }), ...deliveryRoutes(deps)],
    mails: webhookMails(deps),
    timers: [
      every(1_000, 'sending webhooks', (stopped) => sender.run(stopped)),
      every(60_000, 'enqueuing expired invitations', () => enqueueExpiredInvitations(deps)),
      every(hourMs, 'deleting old webhook messages', () => deleteOldMessages(database, now())),
    ],
    measures: [
      gauge(
        database,
        'webhook_messages_waiting',
        'Webhook messages waiting to be sent.',
        `webhook_messages where state = 'waiting' and webhook_id in (select id from webhooks where is_on)`,
      ),
      gauge(
        database,
        'webhooks_failing',
        'Webhooks that are failing, or disabled because they failed.',
        'webhooks where (is_on and failing_since is not null) or off_because is not null',
      ),
    ],
  };
}

/** Managers send requests to private networks only if the operator allows that to them too. */
function createHttpOf({ outboundHttp, config }: Deps): HttpOf {
  const allowsPrivate = config.webhooksToPrivateAddresses && config.providersOnPrivateAddresses;
  const ofManagers = createOutboundHttp({ allowsPrivate });
  return (organizationId) => (organizationId === null ? outboundHttp : ofManagers);
}

/** Returns a function that throws for an event to which a webhook of the site or of the organization cannot subscribe. */
function createEventCheck(extensionEvents: readonly string[]) {
  const [siteEvents, organizationEvents] = [WebhookEvent, OrganizationWebhookEvent].map(
    ({ options }) => new Set<string>([...options, ...extensionEvents]),
  ) as [Set<string>, Set<string>];
  return (events: readonly string[] | undefined, organization: CallerOrganization | null) => {
    const known = organization ? organizationEvents : siteEvents;
    const unknown = events?.find((event) => !known.has(event));
    if (unknown !== undefined)
      throw fail(requestErrors.invalid, { fields: { events: `There is no event ${unknown}.` } });
  };
}

function webhookRoutes({
  database,
  httpOf,
  secret: serverSecret,
  webhookEvents: extensionEvents,
  newId,
  now,
}: Deps & { httpOf: HttpOf }) {
  const secrets = createWebhookSecrets(serverSecret);
  const requireKnown = createEventCheck(extensionEvents);

  async function requireSafeUrl(url: string, organization: CallerOrganization | null): Promise<void> {
    try {
      await httpOf(organization?.id ?? null).check(url);
    } catch (error) {
      if (!(error instanceof UnsafeAddress)) throw error;
      throw fail(webhookErrors[error.reason === 'plain' ? 'notEncrypted' : 'privateAddress']);
    }
  }

  return [
    ...implementInScopes(listWebhooks, listOrganizationWebhooks, async ({ organization }) => ({
      rows: await readWebhooks(database, organization),
      extensionEvents: [...extensionEvents],
    })),

    ...implementInScopes(createWebhook, createOrganizationWebhook, async ({ body, ...context }) => {
      const { url, description, events } = body;
      const { caller, organization } = context;
      requireKnown(events, organization);
      await requireSafeUrl(url, organization);
      const { secret, encrypted } = secrets.create();
      const id = newId();
      await database.transaction(async (transaction) => {
        if ((await readWebhooks(transaction, organization)).length >= webhooksMaximum)
          throw fail(webhookErrors.tooMany);
        await execute(transaction)`
          insert into webhooks (id, url, description, events, secret, created_by, created_at, organization_id)
          values (${id}, ${url}, ${description}, ${events}, ${encrypted}, ${caller.email}, ${new Date(now())},
            ${organization?.id})`;
        const target = { id, host: new URL(url).host };
        await webhookAudit.record(transaction, target, 'webhook.created', context, { events });
      });
      return { secret, webhook: await readWebhook(database, organization, id) };
    }),

    ...implementInScopes(changeWebhook, changeOrganizationWebhook, async ({ params, body, ...context }) => {
      const { webhookId } = params;
      // Throws for a webhook outside of the scope, before anything is written.
      await readWebhook(database, context.organization, webhookId);
      requireKnown(body.events, context.organization);
      if (body.url !== undefined) await requireSafeUrl(body.url, context.organization);
      if (body.isOn) await giveUpWaiting(database, webhookId);
      await changeAudited(database, webhookId, context, async (transaction, before) => {
        if (!(await updateWebhook(transaction, before, body))) return null;
        const { url, events, isOn } = before;
        const after =
          body.url === undefined ? body : { ...body, url: undefined, host: new URL(body.url).host };
        return {
          action: 'webhook.changed',
          detail: { before: { host: new URL(url).host, events, isOn }, after },
        };
      });
      return readWebhook(database, context.organization, webhookId);
    }),

    ...implementInScopes(removeWebhook, removeOrganizationWebhook, async ({ params, ...context }) => {
      const id = params.webhookId;
      await readWebhook(database, context.organization, id);
      await deleteMessagesOf(database, id);
      await changeAudited(database, id, context, async (transaction) => {
        await execute(transaction)`delete from webhooks where id = ${id}`;
        return { action: 'webhook.removed' };
      });
      return { id };
    }),

    ...implementInScopes(
      rotateWebhookSecret,
      rotateOrganizationWebhookSecret,
      async ({ params: { webhookId }, ...context }) => {
        const { secret, encrypted } = secrets.create();
        await changeAudited(database, webhookId, context, async (transaction) => {
          await execute(transaction)`
            update webhooks set earlier_secret = secret, earlier_secret_until = ${secrets.earlierSecretUntil(now())},
              secret = ${encrypted} where id = ${webhookId}`;
          return { action: 'webhook.secret_rotated' };
        });
        return { secret, webhook: await readWebhook(database, context.organization, webhookId) };
      },
    ),
  ];
}

function deliveryRoutes(deps: Deps) {
  const { database, now } = deps;
  const tests = createRateLimit(deps, perHour('test messages of a webhook', testsPerHour));

  /** Ends the pause of a failing receiver and runs a statement that returns the message to send immediately. */
  async function sendNow(
    webhookId: string,
    context: ScopedActor,
    action: string,
    statement: QueryConfig,
  ): Promise<WebhookMessage> {
    let messageId = '';
    await changeAudited(database, webhookId, context, async (transaction, { isOn }) => {
      if (!isOn) throw fail(webhookErrors.isOff);
      await execute(transaction)`update webhooks set retry_at = null where id = ${webhookId}`;
      const message = await rowOf<{ message_id: string; event: string }>(transaction, statement);
      if (!message) throw fail(webhookErrors.noMessage);
      messageId = message.message_id;
      return { action, detail: { event: message.event, messageId } };
    });
    const [message] = await readMessages(database, webhookId, { id: messageId, now: now(), limit: 1 });
    if (!message) throw fail(webhookErrors.noMessage);
    return message;
  }

  return [
    ...implementInScopes(
      listWebhookMessages,
      listOrganizationWebhookMessages,
      async ({ params: { webhookId }, query: { before }, organization }) => {
        await readWebhook(database, organization, webhookId);
        const limit = messagesPerPage + 1;
        const rows = await readMessages(database, webhookId, { before, now: now(), limit });
        return { rows: rows.slice(0, messagesPerPage), more: rows.length > messagesPerPage };
      },
    ),

    ...implementInScopes(
      testWebhook,
      testOrganizationWebhook,
      async ({ params: { webhookId }, ...context }) => {
        assertWithinRateLimit(await tests.take(webhookId));
        return sendNow(webhookId, context, 'webhook.tested', {
          text: `insert into webhook_messages (webhook_id, event, at, object_type, object_id, due_at)
               values ($1, $2, $3, 'webhook', $1::uuid::text, '-infinity') returning message_id, event`,
          values: [webhookId, testEvent, new Date(now())],
        });
      },
    ),

    ...implementInScopes(
      resendWebhookMessage,
      resendOrganizationWebhookMessage,
      ({ params: { webhookId, messageId }, ...context }) =>
        sendNow(webhookId, context, 'webhook.sent_again', {
          text: `update webhook_messages set state = 'waiting', first_attempt_at = null, due_at = '-infinity'
                 where webhook_id = $1 and message_id = $2 returning message_id, event`,
          values: [webhookId, messageId],
        }),
    ),
  ];
}

/**
 * Enqueues `invitation.expired` messages. No statement runs when an invitation expires, so a timer looks for those that
 * have expired since its last run. Concurrent processes wait for the row lock of the first one and find nothing.
 */
export async function enqueueExpiredInvitations({ database, now }: DatabaseDeps): Promise<void> {
  const at = new Date(now());
  await execute(database)`
    with previous as (select expired_until from webhook_cursor where expired_until < ${at} for update),
      updated as (update webhook_cursor set expired_until = ${at} from previous)
    insert into webhook_messages (webhook_id, event, at, object_type, object_id)
    select hook.id, 'invitation.expired', expires_at, 'invitation', invitations.id::text
    from previous, invitations, webhooks hook
    where status = 'pending' and expires_at > previous.expired_until and expires_at <= ${at}
      and hook.is_on and 'invitation.expired' = any(hook.events)
      and is_in_webhook_scope(hook.organization_id, invitations.organization_id::text, null)
    order by expires_at, invitations.id`;
}

const gauge = (database: Queryable, name: string, help: string, rows: string): GaugeDefinition => ({
  name,
  help,
  read: async () =>
    (await onlyRowOf<{ count: number }>(database)`select count(*) from ${rawSql(rows)}`).count,
});
