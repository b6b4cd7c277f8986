import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import {
  changeWebhook,
  listWebhooks,
  removeWebhook,
  rotateWebhookSecret,
  type Webhook,
} from '@vestibule/contract/webhooks';
import { lazy } from 'react';
import { formatNumber } from '../../language/formats.ts';
import { routeHere } from '../../lib/active-organization.ts';
import { call } from '../../lib/call.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { StateBadge } from '../../ui/marks/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { useDialog } from '../../ui/dialog/use-dialog.tsx';
import { Menu } from '../../ui/menu/menu.tsx';
import { Loading } from '../../ui/states.tsx';
import { Moment } from '../../ui/time/moment.tsx';
import { DotSeparated, RecordList } from '../../ui/record-list.tsx';
import { Card } from '../../ui/shell/page.tsx';
import { runWithErrorToast } from '../../ui/toast/toast.tsx';
import { WebhookSecretDialog } from './webhook-secret-dialog.tsx';
import { eventName, hostOf, stateOf, webhooksKey } from './webhook-texts.ts';

const WebhookDialog = lazy(() => import('./webhook-dialog.tsx'));
const DeliveriesDialog = lazy(() => import('./deliveries-dialog.tsx'));

/** Webhooks of the site, or of the active organization. Without `hasOrganizations`, events of members are not offered. */
export function WebhooksCard({ hasOrganizations }: { hasOrganizations: boolean }) {
  const webhooks = useApiQuery(routeHere(listWebhooks), { key: webhooksKey(), changesOf: 'webhooks' });
  const refetch = () => void webhooks.refetch();
  const { dialog, open, ask } = useDialog(refetch);
  const edit = (webhook: Webhook | null) =>
    open((close) => (
      <WebhookDialog
        webhook={webhook}
        hasOrganizations={hasOrganizations}
        extensionEvents={webhooks.data?.extensionEvents ?? []}
        onClose={close}
        onSaved={refetch}
      />
    ));
  const rotate = (webhook: Webhook) =>
    ask({
      title: t`New secret: ${hostOf(webhook)}`,
      confirm: t`Create a new secret`,
      text: t`For 24 hours, messages are signed with both secrets so that your program can switch. After that, only the new one is used.`,
      async act() {
        const { secret } = await call(routeHere(rotateWebhookSecret), { params: { webhookId: webhook.id } });
        open((close) => <WebhookSecretDialog secret={secret} onClose={close} />);
      },
    });
  const remove = (webhook: Webhook) =>
    ask({
      title: t`Remove: ${hostOf(webhook)}`,
      confirm: t`Remove webhook`,
      danger: true,
      text: t`The program gets no more events. Its secret and the list of deliveries are deleted; pending messages are not sent.`,
      act: () => call(routeHere(removeWebhook), { params: { webhookId: webhook.id } }),
    });
  const turn = async ({ id: webhookId }: Webhook, isOn: boolean) => {
    await runWithErrorToast(() => call(routeHere(changeWebhook), { params: { webhookId }, body: { isOn } }));
    refetch();
  };
  const renderActions = (webhook: Webhook) => (
    <span className="button-row">
      <Button
        size="small"
        aria-label={t`Deliveries to ${hostOf(webhook)}`}
        onClick={() => open((close) => <DeliveriesDialog webhook={webhook} onClose={close} />)}
      >
        {t`Deliveries`}
      </Button>
      <Menu
        items={[
          { label: t`Change`, onSelect: () => edit(webhook) },
          { label: t`New secret`, onSelect: () => rotate(webhook) },
          webhook.isOn
            ? { label: t`Turn off`, onSelect: () => turn(webhook, false) }
            : { label: t`Turn on`, onSelect: () => turn(webhook, true) },
          { label: t`Remove`, onSelect: () => remove(webhook), danger: true },
        ]}
      >
        <Button size="small" aria-label={t`More: ${hostOf(webhook)}`}>
          {t`More`}
        </Button>
      </Menu>
    </span>
  );

  return (
    <Card title={t`Webhooks`} actions={<Button onClick={() => edit(null)}>{t`New webhook`}</Button>}>
      <p className="card-lead">
        {t`Notify your own programs the moment something happens here, such as someone joining.`}
      </p>
      <Loading query={webhooks} title={t`The webhooks could not be loaded`} lines={2} />
      {webhooks.data && (
        <RecordList
          empty={t`None yet.`}
          entries={webhooks.data.rows.map((webhook) => ({
            id: webhook.id,
            text: (
              <>
                <strong>{hostOf(webhook)}</strong> <StateBadge of={stateOf(webhook)} />
              </>
            ),
            detail: <DotSeparated facts={describe(webhook)} />,
            badges: renderActions(webhook),
          }))}
        />
      )}
      {dialog}
    </Card>
  );
}

function describe(webhook: Webhook) {
  const { description, events: subscribed, offBecause, failingSince, deliveredAt, waiting } = webhook;
  return [
    description !== '' && description,
    subscribed.map((event) => eventName(event)).join(', '),
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
