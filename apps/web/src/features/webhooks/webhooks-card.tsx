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
import { routeHere } from '../../lib/active-organization.ts';
import { call } from '../../lib/call.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { StateBadge } from '../../ui/marks/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
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

type OpenDialog = { what: 'new' } | { what: 'change' | 'deliveries' | 'rotate' | 'remove'; webhook: Webhook };

/** Webhooks of the site, or of the active organization. Without `hasOrganizations`, events of members are not offered. */
export function WebhooksCard({ hasOrganizations }: { hasOrganizations: boolean }) {
  const [openDialog, setOpenDialog] = useState<OpenDialog | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const webhooks = useApiQuery(routeHere(listWebhooks), { key: webhooksKey(), changesOf: 'webhooks' });
  const rows = webhooks.data?.rows ?? [];

  const act = async (work: () => Promise<unknown>) => {
    await runWithErrorToast(work);
    await webhooks.refetch();
  };

  return (
    <Card
      title={t`Webhooks`}
      actions={<Button onClick={() => setOpenDialog({ what: 'new' })}>{t`New webhook`}</Button>}
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
            detail: <DotSeparated facts={describe(webhook)} />,
            badges: <Actions webhook={webhook} onOpenDialog={setOpenDialog} onSwitch={act} />,
          }))}
        />
      )}
      <Suspense>
        {(openDialog?.what === 'new' || openDialog?.what === 'change') && (
          <WebhookDialog
            webhook={openDialog.what === 'change' ? openDialog.webhook : null}
            hasOrganizations={hasOrganizations}
            extensionEvents={webhooks.data?.extensionEvents ?? []}
            onClose={() => setOpenDialog(null)}
            onSaved={() => void webhooks.refetch()}
          />
        )}
        {openDialog?.what === 'deliveries' && (
          <DeliveriesDialog
            webhook={rows.find(({ id }) => id === openDialog.webhook.id) ?? openDialog.webhook}
            onClose={() => setOpenDialog(null)}
          />
        )}
      </Suspense>
      {openDialog?.what === 'rotate' && (
        <ConfirmDialog
          title={t`New secret: ${hostOf(openDialog.webhook)}`}
          confirm={t`Create a new secret`}
          onClose={() => setOpenDialog(null)}
          onConfirm={async () => {
            await act(async () => {
              const params = { webhookId: openDialog.webhook.id };
              setSecret((await call(routeHere(rotateWebhookSecret), { params })).secret);
            });
            setOpenDialog(null);
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
      {openDialog?.what === 'remove' && (
        <ConfirmDialog
          title={t`Remove: ${hostOf(openDialog.webhook)}`}
          confirm={t`Remove webhook`}
          danger
          onClose={() => setOpenDialog(null)}
          onConfirm={async () => {
            await act(() => call(routeHere(removeWebhook), { params: { webhookId: openDialog.webhook.id } }));
            setOpenDialog(null);
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
  onOpenDialog,
  onSwitch,
}: {
  webhook: Webhook;
  onOpenDialog: (dialog: OpenDialog) => void;
  onSwitch: (work: () => Promise<unknown>) => Promise<void>;
}) {
  const host = hostOf(webhook);
  const openDialog = (what: Exclude<OpenDialog['what'], 'new'>) => () => onOpenDialog({ what, webhook });
  const change = (isOn: boolean) => () =>
    onSwitch(() => call(routeHere(changeWebhook), { params: { webhookId: webhook.id }, body: { isOn } }));
  return (
    <span className="button-row">
      <Button size="small" aria-label={t`Deliveries to ${host}`} onClick={openDialog('deliveries')}>
        {t`Deliveries`}
      </Button>
      <Menu
        items={[
          { label: t`Change`, onSelect: openDialog('change') },
          { label: t`New secret`, onSelect: openDialog('rotate') },
          webhook.isOn
            ? { label: t`Turn off`, onSelect: change(false) }
            : { label: t`Turn on`, onSelect: change(true) },
          { label: t`Remove`, onSelect: openDialog('remove'), danger: true },
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
