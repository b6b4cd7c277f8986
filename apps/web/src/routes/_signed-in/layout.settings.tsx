/** `/layout/settings`: how this site is configured, and what administrators change of it (administrators only). */
import { msg } from '@lingui/core/macro';
import { IconSettings } from '@tabler/icons-react';
import { createFileRoute } from '@tanstack/react-router';
import { SettingsScreen } from '../../features/settings/settings-screen.tsx';
import { TokensCard } from '../../features/tokens/tokens-card.tsx';
import { WebhooksCard } from '../../features/webhooks/webhooks-card.tsx';

export const Route = createFileRoute('/_signed-in/layout/settings')({
  staticData: { access: 'admin', menu: { label: msg`Settings`, order: 6, icon: IconSettings } },
  component: () => (
    <SettingsScreen
      more={
        <>
          <TokensCard />
          <WebhooksCard />
        </>
      }
    />
  ),
});
