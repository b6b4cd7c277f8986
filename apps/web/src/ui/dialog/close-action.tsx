import { t } from '@lingui/core/macro';
import { Button } from '../button.tsx';

/** Close button for a dialog that offers no choice. */
export function CloseAction({ onClose }: { onClose: () => void }) {
  return (
    <Button variant="primary" onClick={onClose}>
      {t`Close`}
    </Button>
  );
}
