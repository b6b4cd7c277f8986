import {
  listWebhookMessages,
  resendWebhookMessage,
  testWebhook,
  webhookErrors,
} from '@vestibule/contract/webhooks';
import { execute, rowsOf, type Database, type Queryable } from '../../platform/database/database.ts';
import { fail } from '../../platform/errors/failure.ts';
import { implement, type Implementation } from '../../platform/http/implement.ts';
import { changeAudited, requireWebhook } from './change-webhook.ts';
import { testEvent } from './claim-messages.ts';
import { messageColumns, toMessage, type MessageRow, type WebhookRow } from './webhook-store.ts';

const messagesPerPage = 50;

export function deliveries(database: Database, now: () => number): Implementation[] {
  /** Clears the pause of a failing receiver, so that the message is sent immediately. */
  async function clearPause(transaction: Queryable, { id, is_on }: WebhookRow): Promise<void> {
    if (!is_on) throw fail(webhookErrors.isOff);
    await execute(transaction, 'update webhooks set retry_at = null where id = $1', [id]);
  }

  return [
    implement(listWebhookMessages, async ({ params, query }) => {
      const webhook = await requireWebhook(database, params.webhookId);
      const rows = await rowsOf<MessageRow>(database, {
        text: `select ${messageColumns} from webhook_messages where webhook_id = $1
                 and ($2::uuid is null or id < (select id from webhook_messages where webhook_id = $1 and message_id = $2))
               order by id desc limit ${messagesPerPage + 1}`,
        values: [params.webhookId, query.before],
      });
      return {
        rows: rows.slice(0, messagesPerPage).map((row) => toMessage(row, now(), webhook.retry_at)),
        more: rows.length > messagesPerPage,
      };
    }),

    implement(testWebhook, async ({ params, ...context }) => {
      let written: MessageRow | undefined;
      await changeAudited(database, params.webhookId, context, async (transaction, row) => {
        await clearPause(transaction, row);
        const rows = await rowsOf<MessageRow>(transaction, {
          text: `insert into webhook_messages (webhook_id, event, at, object_type, object_id)
                 values ($1, $2, $3, 'webhook', $1::uuid::text) returning ${messageColumns}`,
          values: [params.webhookId, testEvent, new Date(now())],
        });
        written = rows[0];
        return { action: 'webhook.tested' };
      });
      return toMessage(written as MessageRow, now());
    }),

    implement(resendWebhookMessage, async ({ params, ...context }) => {
      let written: MessageRow | undefined;
      await changeAudited(database, params.webhookId, context, async (transaction, row) => {
        await clearPause(transaction, row);
        const rows = await rowsOf<MessageRow>(transaction, {
          text: `update webhook_messages set state = 'waiting', first_attempt_at = null, due_at = '-infinity'
                 where webhook_id = $1 and message_id = $2 returning ${messageColumns}`,
          values: [params.webhookId, params.messageId],
        });
        if (!rows[0]) throw fail(webhookErrors.noMessage);
        written = rows[0];
        return {
          action: 'webhook.sent_again',
          detail: { event: rows[0].event, messageId: params.messageId },
        };
      });
      return toMessage(written as MessageRow, now());
    }),
  ];
}
