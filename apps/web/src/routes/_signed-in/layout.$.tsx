/** Unknown addresses under `/layout/`, shown inside the frame with its menu. */
import { t } from '@lingui/core/macro';
import { createFileRoute } from '@tanstack/react-router';
import { Page } from '../../ui/shell/page.tsx';

export const Route = createFileRoute('/_signed-in/layout/$')({ component: NoSuchScreen });

function NoSuchScreen() {
  return (
    <Page title={t`Page not found`}>
      <p>{t`There is no page at this address. Choose one from the menu.`}</p>
    </Page>
  );
}
