/** Deliveries of a webhook, with test events and resending. */
import { cutText } from '@vestibule/contract/rules/cut-text';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useInfiniteQuery } from '@tanstack/react-query';
import {
  listWebhookMessages,
  resendWebhookMessage,
  testWebhook,
  type Webhook,
  type WebhookMessage,
} from '@vestibule/contract/webhooks';
import { formatNumber } from '../../language/formats.ts';
import { formatMoment } from '../../language/moment.ts';
import { formatMessage } from '../../language/format-message.ts';
import { routeHere } from '../../lib/active-organization.ts';
import { call } from '../../lib/call.ts';
import { useChanges } from '../../lib/live-changes.ts';
import { StateBadge } from '../../ui/marks/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CloseAction, Dialog } from '../../ui/dialog/dialog.tsx';
import { Loading } from '../../ui/states.tsx';
import { Moment } from '../../ui/time/moment.tsx';
import { DotSeparated, RecordList } from '../../ui/record-list.tsx';
import { runWithErrorToast } from '../../ui/toast/toast.tsx';
import { eventName, hostOf, messageStates, webhooksKey } from './webhook-texts.ts';

/** Deliveries cause no change events, so the list polls while some are pending. */
const pollMilliseconds = 1_500;

export default function DeliveriesDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const params = { webhookId: webhook.id };
  const log = useInfiniteQuery({
    queryKey: [...webhooksKey(), webhook.id],
    queryFn: ({ signal, pageParam }) =>
      call(routeHere(listWebhookMessages), {
        params,
        query: pageParam === null ? {} : { before: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ rows, more }) => (more ? (rows.at(-1)?.id ?? null) : null),
    staleTime: 0,
    refetchInterval: ({ state }) =>
      state.data?.pages[0]?.rows.some(({ state: of }) => of === 'waiting') ? pollMilliseconds : false,
  });
  // A refetch must not cancel the loading of older deliveries.
  useChanges('webhooks', () => void log.refetch({ cancelRefetch: !log.isFetchingNextPage }));
  const rows = log.data?.pages.flatMap((page) => page.rows) ?? [];

  const send = async (queue: () => Promise<WebhookMessage>) => {
    await runWithErrorToast(queue);
    await log.refetch();
  };

  return (
    <Dialog
      title={t`Deliveries to ${hostOf(webhook)}`}
      width={720}
      onClose={onClose}
      actions={
        <>
          {webhook.isOn && (
            <Button
              onClick={() => send(() => call(routeHere(testWebhook), { params }))}
            >{t`Send a test event`}</Button>
          )}
          <CloseAction onClose={onClose} />
        </>
      }
    >
      <Loading query={log} title={t`The deliveries could not be loaded`} lines={4} />
      {log.data && (
        <RecordList
          label={t`Deliveries`}
          empty={t`Nothing has been sent in the last two weeks.`}
          entries={rows.map((message) => ({
            id: message.id,
            text: eventName(message.event),
            detail: <DotSeparated facts={describe(message)} />,
            badges: (
              <>
                <StateBadge of={messageStates()[message.state]} />
                {webhook.isOn && (
                  <Button
                    size="small"
                    aria-label={t`Resend: ${eventName(message.event)}, ${formatMoment(message.at)}`}
                    onClick={() =>
                      send(() =>
                        call(routeHere(resendWebhookMessage), {
                          params: { ...params, messageId: message.id },
                        }),
                      )
                    }
                  >
                    {t`Resend`}
                  </Button>
                )}
              </>
            ),
          }))}
        />
      )}
      {log.hasNextPage && <Button onClick={() => log.fetchNextPage()}>{t`Show earlier ones`}</Button>}
    </Dialog>
  );
}

const describe = ({
  at,
  attempts,
  status,
  answer,
  answerText,
  milliseconds,
  nextAttemptAt,
}: WebhookMessage) => [
  <Moment key="at" at={at} />,
  attempts > 1 && t`${formatNumber(attempts)} attempts`,
  nextAttemptAt && (
    <Trans key="next">
      next attempt <Moment at={nextAttemptAt} />
    </Trans>
  ),
  status !== null && t`answer ${String(status)} after ${formatNumber(milliseconds ?? 0)} ms`,
  answerText ? formatMessage(answerText) : answer ? <code key="answer">{cutText(answer, 200)}</code> : null,
];
