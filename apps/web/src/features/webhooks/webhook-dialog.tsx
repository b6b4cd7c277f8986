/** Creates or changes a webhook. The secret of a new webhook is shown once. */
import { t } from '@lingui/core/macro';
import { changeWebhook, createWebhook, WebhookEvent, type Webhook } from '@vestibule/contract/webhooks';
import { OrganizationWebhookEvent } from '@vestibule/contract/organizations/webhooks';
import { useState } from 'react';
import { activeOrganization, routeHere } from '../../lib/active-organization.ts';
import { call } from '../../lib/call.ts';
import { CheckboxGroup } from '../../ui/fields/check-box.tsx';
import { FormDialog } from '../../ui/fields/form.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { useForm } from '../../ui/fields/use-form.ts';
import { eventName } from './webhook-texts.ts';
import { WebhookSecretDialog } from './webhook-secret-dialog.tsx';

type Values = Pick<Webhook, 'url' | 'description' | 'events'>;

export default function WebhookDialog({
  webhook,
  hasOrganizations,
  extensionEvents,
  onClose,
  onSaved,
}: {
  /** The webhook to change; null to create a webhook. */
  webhook: Webhook | null;
  hasOrganizations: boolean;
  extensionEvents: readonly string[];
  onClose: () => void;
  onSaved: () => void;
}) {
  const [secret, setSecret] = useState<string | null>(null);
  const { url = '', description = '', events: chosen = [] } = webhook ?? {};
  const form = useForm<Values>({
    initial: { url, description, events: chosen },
    async onSubmit(values) {
      if (webhook) {
        const isOther = (name: keyof Values) => String(values[name]) !== String(webhook[name]);
        const changed = (Object.keys(values) as (keyof Values)[]).filter(isOther);
        const body = Object.fromEntries(changed.map((name) => [name, values[name]]));
        if (changed.length > 0)
          await call(routeHere(changeWebhook), { params: { webhookId: webhook.id }, body });
        onClose();
      } else setSecret((await call(routeHere(createWebhook), { body: values })).secret);
      onSaved();
    },
  });

  if (secret) return <WebhookSecretDialog secret={secret} onClose={onClose} />;
  return (
    <FormDialog
      form={form}
      title={webhook ? t`Change webhook` : t`New webhook`}
      onClose={onClose}
      submit={webhook ? t`Save` : t`Add webhook`}
    >
      <TextField
        label={t`Address`}
        description={t`Where your program listens, such as https://example.com/hook.`}
        inputMode="url"
        autoComplete="off"
        required
        {...form.text('url')}
      />
      <TextField
        label={t`Description`}
        description={
          activeOrganization()
            ? t`What it is for. Members who manage webhooks see it.`
            : t`What it is for. Only administrators see it.`
        }
        autoComplete="off"
        {...form.text('description')}
      />
      <CheckboxGroup
        label={t`Events`}
        // With the chosen ones: an event of a removed extension can be cleared.
        options={[...new Set([...offeredEvents(hasOrganizations), ...extensionEvents, ...chosen])].map(
          (value) => ({ value, label: eventName(value) }),
        )}
        chosen={form.values.events}
        problem={form.errors['events']}
        onChange={(next) => form.set('events', next)}
      />
    </FormDialog>
  );
}

const offeredEvents = (hasOrganizations: boolean): readonly WebhookEvent[] =>
  activeOrganization()
    ? OrganizationWebhookEvent.options
    : WebhookEvent.options.filter((event) => hasOrganizations || !event.startsWith('member.'));
