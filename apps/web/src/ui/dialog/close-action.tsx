import { t } from '@lingui/core/macro';
import { Button } from '../button.tsx';

/** The button at the foot of a dialog that only tells something. */
export function CloseAction({ onClose }: { onClose: () => void }) {
  return (
    <Button variant="primary" onClick={onClose}>
      {t`Close`}
    </Button>
  );
}
