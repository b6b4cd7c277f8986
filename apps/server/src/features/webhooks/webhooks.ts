/**
 * Webhooks of administrators. Triggers on the audit log and on sign-ins (migration 022) insert messages into the outbox, in the
 * transaction of the change; send-webhooks.ts sends them.
 */
import {
  changeWebhook,
  createWebhook,
  listWebhooks,
  removeWebhook,
  rotateWebhookSecret,
  webhookErrors,
  webhooksMaximum,
} from '@vestibule/contract/webhooks';
import type { Area } from '../../platform/area.ts';
import { recordChange } from '../../platform/audit/audit-log.ts';
import { execute, rowOf, type Database, type Queryable } from '../../platform/database/database.ts';
import { fail } from '../../platform/errors/failure.ts';
import { implement } from '../../platform/http/implement.ts';
import { UnsafeAddress, type OutboundHttp } from '../../platform/http/outbound-http.ts';
import type { MailQueue } from '../../platform/mail/mail-queue.ts';
import type { GaugeDefinition } from '../../platform/telemetry/metrics.ts';
import { every } from '../../platform/timers.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import { changeAudited, requireWebhook } from './change-webhook.ts';
import { deliveries } from './deliveries.ts';
import { enqueueExpiredInvitations } from './expired-invitations.ts';
import { createWebhookSender } from './send-webhooks.ts';
import { disableWebhook, webhookMails, webhookTarget } from './disable-webhook.ts';
import { createWebhookSecrets } from './webhook-secret.ts';
import { giveUpBatch, listWebhookRows, toWebhook, updateWebhook } from './webhook-store.ts';

const messageRetentionMs = 14 * 24 * 3_600_000;
const deleteBatchSize = 10_000;

export function webhooks(deps: {
  database: Database;
  mail: MailQueue;
  settings: SettingsStore;
  outboundHttp: OutboundHttp;
  secret: Buffer;
  publicUrl: string;
  now: () => number;
  newId: () => string;
}): Area {
  const { database, now } = deps;
  const secrets = createWebhookSecrets(deps.secret);
  const sender = createWebhookSender({
    ...deps,
    secrets,
    disable: (webhookId, reason) => disableWebhook(deps, webhookId, reason),
  });

  async function requireSafeUrl(url: string): Promise<void> {
    try {
      await deps.outboundHttp.check(url);
    } catch (error) {
      if (!(error instanceof UnsafeAddress)) throw error;
      throw fail(error.reason === 'plain' ? webhookErrors.notEncrypted : webhookErrors.privateAddress);
    }
  }

  const routes = [
    implement(listWebhooks, async () => ({
      rows: (await listWebhookRows(database)).map((row) => toWebhook(row, now())),
    })),

    implement(createWebhook, async ({ body, caller, origin }) => {
      await requireSafeUrl(body.url);
      const { secret, encrypted } = secrets.create();
      const id = deps.newId();
      const row = await database.transaction(async (transaction) => {
        // Serializes concurrent requests, so that the count is correct.
        await execute(transaction, 'lock table webhooks in share row exclusive mode');
        const found = await rowOf<{ count: number }>(transaction, 'select count(*) from webhooks');
        if ((found?.count ?? 0) >= webhooksMaximum) throw fail(webhookErrors.tooMany);
        await transaction.query({
          text: `insert into webhooks (id, url, description, events, secret, created_by, created_at)
                 values ($1, $2, $3, $4, $5, $6, $7)`,
          values: [id, body.url, body.description, body.events, encrypted, caller.email, new Date(now())],
        });
        await recordChange(transaction, {
          action: 'webhook.created',
          actor: caller,
          target: webhookTarget({ id, url: body.url }),
          origin,
          detail: { events: body.events },
        });
        return requireWebhook(transaction, id);
      });
      return { secret, webhook: toWebhook(row, now()) };
    }),

    implement(changeWebhook, async ({ params, body, ...context }) => {
      if (body.url !== undefined) await requireSafeUrl(body.url);
      // Before a webhook is enabled, gives up its waiting messages that the sender has not given up yet.
      if (body.isOn) while (await giveUpBatch(database, params.webhookId));
      const row = await changeAudited(database, params.webhookId, context, async (transaction, before) => {
        if (!(await updateWebhook(transaction, before, body))) return null;
        return {
          action: 'webhook.changed',
          detail: {
            before: { host: new URL(before.url).host, events: before.events, isOn: before.is_on },
            after: {
              ...body,
              ...(body.url !== undefined && { url: undefined, host: new URL(body.url).host }),
            },
          },
        };
      });
      return toWebhook(row, now());
    }),

    implement(removeWebhook, async ({ params, ...context }) => {
      // Disables the webhook first: its messages, possibly hundreds of thousands, are deleted in batches. The audit entry documents this
      // if the request is interrupted.
      await changeAudited(database, params.webhookId, context, async (transaction, before) => {
        if (!before.is_on) return null;
        await updateWebhook(transaction, before, { isOn: false });
        return { action: 'webhook.changed', detail: { before: { isOn: true }, after: { isOn: false } } };
      });
      await deleteMessages(database, 'webhook_id = $1 order by id', params.webhookId);
      await changeAudited(database, params.webhookId, context, async (transaction) => {
        await execute(transaction, 'delete from webhooks where id = $1', [params.webhookId]);
        return { action: 'webhook.removed' };
      });
      return { id: params.webhookId };
    }),

    implement(rotateWebhookSecret, async ({ params, ...context }) => {
      const { secret, encrypted } = secrets.create();
      const row = await changeAudited(database, params.webhookId, context, async (transaction) => {
        await transaction.query({
          text: 'update webhooks set earlier_secret = secret, earlier_secret_until = $3, secret = $2 where id = $1',
          values: [params.webhookId, encrypted, secrets.earlierSecretUntil(now())],
        });
        return { action: 'webhook.secret_rotated' };
      });
      return { secret, webhook: toWebhook(row, now()) };
    }),
  ];

  return {
    routes: [...routes, ...deliveries(database, now)],
    jobs: webhookMails(deps),
    timers: [
      every(1_000, 'sending webhooks', (stopped) => sender.run(stopped)),
      every(60_000, 'enqueuing expired invitations', () => enqueueExpiredInvitations(deps)),
      every(3_600_000, 'deleting old webhook messages', () => deleteOldMessages(database, now())),
    ],
    measures: createMeasures(database),
  };
}

export const deleteOldMessages = (database: Queryable, now: number) =>
  deleteMessages(database, 'at < $1 order by at', new Date(now - messageRetentionMs));

/** Runs each batch in a separate transaction. */
async function deleteMessages(
  database: Queryable,
  condition: 'at < $1 order by at' | 'webhook_id = $1 order by id',
  value: Date | string,
): Promise<void> {
  for (let deleted = deleteBatchSize; deleted === deleteBatchSize;) {
    const rowCount = await execute(database, {
      text: `delete from webhook_messages where id in (
               select id from webhook_messages where ${condition} limit ${deleteBatchSize} for update skip locked)`,
      values: [value],
    });
    deleted = rowCount ?? 0;
  }
}

const createMeasures = (database: Queryable): GaugeDefinition[] => [
  {
    name: 'webhook_messages_waiting',
    help: 'Webhook messages waiting to be sent.',
    read: async () => {
      const found = await rowOf<{ count: number }>(database, {
        text: `select count(*) from webhook_messages where state = 'waiting'`,
      });
      return found?.count ?? 0;
    },
  },
  {
    name: 'webhooks_failing',
    help: 'Webhooks that are failing, or disabled because they failed.',
    read: async () => {
      const found = await rowOf<{ count: number }>(database, {
        text: 'select count(*) from webhooks where (is_on and failing_since is not null) or off_because is not null',
      });
      return found?.count ?? 0;
    },
  },
];
