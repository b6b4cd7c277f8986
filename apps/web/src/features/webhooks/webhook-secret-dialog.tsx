import { t } from '@lingui/core/macro';
import { SecretDialog } from '../../ui/dialog/secret-dialog.tsx';

export function WebhookSecretDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <SecretDialog title={t`Webhook secret`} secret={secret} onClose={onClose}>
      {t`Your program needs it to verify that messages come from this site. It will not be shown again.`}
    </SecretDialog>
  );
}
