import { t } from '@lingui/core/macro';
import { Button } from '../button.tsx';

/** Button of a dialog without a choice. */
export function CloseAction({ onClose }: { onClose: () => void }) {
  return (
    <Button variant="primary" onClick={onClose}>
      {t`Close`}
    </Button>
  );
}
