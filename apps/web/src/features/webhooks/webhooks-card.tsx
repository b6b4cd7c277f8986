import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import {
  changeWebhook,
  listWebhooks,
  removeWebhook,
  rotateWebhookSecret,
  type Webhook,
} from '@vestibule/contract/webhooks';
import { lazy, Suspense, useState } from 'react';
import { formatNumber } from '../../language/formats.ts';
import { call } from '../../lib/call.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { StateBadge } from '../../ui/marks/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { Menu } from '../../ui/menu/menu.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Moment } from '../../ui/time/moment.tsx';
import { Dotted, RecordList } from '../../ui/record-list.tsx';
import { Card } from '../../ui/shell/page.tsx';
import { runWithErrorToast } from '../../ui/toast/run-with-error-toast.ts';
import { WebhookSecretDialog } from './webhook-secret-dialog.tsx';
import { events, hostOf, stateOf } from './webhook-texts.ts';

const WebhookDialog = lazy(() => import('./webhook-dialog.tsx'));
const DeliveriesDialog = lazy(() => import('./deliveries-dialog.tsx'));

type Asked = { what: 'new' } | { what: 'change' | 'deliveries' | 'rotate' | 'remove'; webhook: Webhook };

export function WebhooksCard() {
  const [asked, setAsked] = useState<Asked | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const webhooks = useApiQuery(listWebhooks, { key: ['webhooks'], changesOf: 'webhooks' });
  const rows = webhooks.data?.rows ?? [];

  const act = async (work: () => Promise<unknown>) => {
    await runWithErrorToast(work);
    await webhooks.refetch();
  };

  return (
    <Card
      title={t`Webhooks`}
      actions={<Button onClick={() => setAsked({ what: 'new' })}>{t`New webhook`}</Button>}
    >
      <p className="card-lead">
        {t`Notify your own programs the moment something happens here, such as someone joining.`}
      </p>
      <Loading query={webhooks} title={t`The webhooks could not be loaded`} lines={2} />
      {webhooks.data && (
        <RecordList
          empty={t`None yet.`}
          entries={rows.map((webhook) => ({
            id: webhook.id,
            text: (
              <>
                <strong>{hostOf(webhook)}</strong> <StateBadge of={stateOf(webhook)} />
              </>
            ),
            detail: <Dotted facts={describe(webhook)} />,
            badges: <Actions webhook={webhook} onAsk={setAsked} onSwitch={act} />,
          }))}
        />
      )}
      <Suspense>
        {(asked?.what === 'new' || asked?.what === 'change') && (
          <WebhookDialog
            webhook={asked.what === 'change' ? asked.webhook : null}
            onClose={() => setAsked(null)}
            onSaved={() => void webhooks.refetch()}
          />
        )}
        {asked?.what === 'deliveries' && (
          <DeliveriesDialog
            webhook={rows.find(({ id }) => id === asked.webhook.id) ?? asked.webhook}
            onClose={() => setAsked(null)}
          />
        )}
      </Suspense>
      {asked?.what === 'rotate' && (
        <ConfirmDialog
          title={t`New secret: ${hostOf(asked.webhook)}`}
          confirm={t`Create a new secret`}
          onClose={() => setAsked(null)}
          onConfirm={async () => {
            await act(async () => {
              const params = { webhookId: asked.webhook.id };
              setSecret((await call(rotateWebhookSecret, { params })).secret);
            });
            setAsked(null);
          }}
        >
          <p>
            <Trans>
              For 24 hours, messages are signed with both secrets so that your program can switch. After that,
              only the new one is used.
            </Trans>
          </p>
        </ConfirmDialog>
      )}
      {asked?.what === 'remove' && (
        <ConfirmDialog
          title={t`Remove: ${hostOf(asked.webhook)}`}
          confirm={t`Remove webhook`}
          danger
          onClose={() => setAsked(null)}
          onConfirm={async () => {
            await act(() => call(removeWebhook, { params: { webhookId: asked.webhook.id } }));
            setAsked(null);
          }}
        >
          <p>
            <Trans>
              The program gets no more events. Its secret and the list of deliveries are deleted; pending
              messages are not sent.
            </Trans>
          </p>
        </ConfirmDialog>
      )}
      {secret !== null && <WebhookSecretDialog secret={secret} onClose={() => setSecret(null)} />}
    </Card>
  );
}

function Actions({
  webhook,
  onAsk,
  onSwitch,
}: {
  webhook: Webhook;
  onAsk: (asked: Asked) => void;
  onSwitch: (work: () => Promise<unknown>) => Promise<void>;
}) {
  const host = hostOf(webhook);
  const ask = (what: Exclude<Asked['what'], 'new'>) => () => onAsk({ what, webhook });
  const change = (isOn: boolean) => () =>
    onSwitch(() => call(changeWebhook, { params: { webhookId: webhook.id }, body: { isOn } }));
  return (
    <span className="button-row">
      <Button size="small" aria-label={t`Deliveries to ${host}`} onClick={ask('deliveries')}>
        {t`Deliveries`}
      </Button>
      <Menu
        items={[
          { label: t`Change`, onSelect: ask('change') },
          { label: t`New secret`, onSelect: ask('rotate') },
          webhook.isOn
            ? { label: t`Turn off`, onSelect: change(false) }
            : { label: t`Turn on`, onSelect: change(true) },
          { label: t`Remove`, onSelect: ask('remove'), danger: true },
        ]}
      >
        <Button size="small" aria-label={t`More: ${host}`}>
          {t`More`}
        </Button>
      </Menu>
    </span>
  );
}

function describe(webhook: Webhook) {
  const { description, events: told, offBecause, failingSince, deliveredAt, waiting } = webhook;
  return [
    description !== '' && description,
    told.map((event) => events()[event]).join(', '),
    offBecause === 'failing' && t`nothing got through for three days`,
    offBecause === 'gone' && t`the receiver unsubscribed`,
    !offBecause && failingSince !== null && (
      <Trans key="failing">
        nothing gets through; first failure <Moment at={failingSince} />
      </Trans>
    ),
    deliveredAt !== null && (
      <Trans key="delivered">
        last delivered <Moment at={deliveredAt} />
      </Trans>
    ),
    waiting > 0 && (waiting > 1_000 ? t`more than 1,000 waiting` : t`waiting: ${formatNumber(waiting)}`),
    webhook.earlierSecretUntil !== null && (
      <Trans key="earlier">
        the previous secret ends <Moment at={webhook.earlierSecretUntil} ends />
      </Trans>
    ),
  ];
}
