/** Preview of a file, with buttons for the adjacent files of the list. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { attachmentErrors } from '@vestibule/contract/attachments/errors';
import { getAttachment, type Attachment } from '@vestibule/contract/attachments';
import { formatSize } from '../../../language/formats.ts';
import { CallFailure } from '../../../language/call-failure.ts';
import { useApiQuery } from '../../../lib/use-api-query.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog/dialog.tsx';
import { useDetailPanelPosition } from '../../../ui/grid/detail-panel.ts';
import { Loading } from '../../../ui/states.tsx';
import { Menu, type MenuItem } from '../../../ui/menu/menu.tsx';
import { Moment } from '../../../ui/time/moment.tsx';
import { DotSeparated } from '../../../ui/record-list.tsx';
import { download } from '../attachment-changes.ts';
import { kindLabels, describeAudience } from '../attachment-texts.ts';
import { FileView } from './file-view.tsx';
import { useWindowEvent } from '../../../ui/events/use-window-event.ts';
import './preview.css';

export default function PreviewDialog({
  id,
  actions,
  onShow,
  onClose,
}: {
  id: string;
  actions: (file: Attachment) => readonly MenuItem[];
  onShow: (id: string) => void;
  onClose: () => void;
}) {
  const { row, adjacentId } = useDetailPanelPosition();
  const known = row() as Attachment | undefined;
  const neighbor = (step: 1 | -1) => known && adjacentId(step);
  const canStep = (step: 1 | -1) => neighbor(step) !== undefined;
  const show = (step: 1 | -1) => {
    const next = neighbor(step);
    if (next !== undefined) onShow(next);
  };
  const query = useApiQuery(getAttachment, {
    key: ['attachment', id],
    params: { attachmentId: id },
    ...(known && { placeholderData: known }),
  });
  const file = query.data;

  useWindowEvent('keydown', (event) => {
    const { target } = event;
    // The key press belongs to another dialog above the preview.
    if (document.querySelectorAll('dialog[open]').length > 1) return;
    // These elements handle arrow keys.
    if (target instanceof Element && target.closest('input, audio, video, pre, [role="menu"]')) return;
    const step = ({ ArrowRight: 1, ArrowLeft: -1 } as const)[event.key];
    if (step && !event.altKey) show(step);
  });

  if (query.isError && isUnavailable(query.error))
    return (
      <Dialog
        title={t`You cannot open this file`}
        onClose={onClose}
        actions={
          <Button variant="primary" onClick={onClose}>
            {t`Go to my files`}
          </Button>
        }
      >
        <p>
          <Trans>
            It was deleted, or it is not shared with you. Ask the person who sent you the link to share it;
            then the link works.
          </Trans>
        </p>
      </Dialog>
    );

  const stepButtons = (
    <div className="preview-leaf">
      {([-1, 1] as const).map((step) => (
        <Button
          key={step}
          variant="quiet"
          aria-label={step === 1 ? t`Next file` : t`Previous file`}
          // A `disabled` button would lose the focus.
          aria-disabled={!canStep(step)}
          icon={step === 1 ? <IconChevronRight size={18} /> : <IconChevronLeft size={18} />}
          onClick={() => show(step)}
        />
      ))}
    </div>
  );
  return (
    <Dialog
      title={file?.name ?? t`File`}
      width={1080}
      onClose={onClose}
      actions={
        <>
          {(canStep(1) || canStep(-1)) && stepButtons}
          {file && actions(file).length > 0 && (
            <Menu items={actions(file)}>
              <Button>{t`More`}</Button>
            </Menu>
          )}
          {file?.may.open && file.status === 'ready' && (
            <Button variant="primary" onClick={() => download([file.id])}>
              {t`Download`}
            </Button>
          )}
        </>
      }
    >
      {file && (
        <>
          <p className="preview-facts small-print">
            <DotSeparated
              facts={[
                kindLabels()[file.kind],
                formatSize(file.size),
                file.ownerName,
                <Moment key="at" at={file.createdAt} />,
                describeAudience(file),
              ]}
            />
          </p>
          <FileView key={file.id} file={file} />
          <output className="visually-hidden">{file.name}</output>
        </>
      )}
      <Loading query={query} title={t`This file could not be loaded`} lines={6} />
    </Dialog>
  );
}

/** An id with an invalid format (status 400) is treated like an unknown file. */
function isUnavailable(error: unknown): boolean {
  return (
    error instanceof CallFailure && (error.code === attachmentErrors.notFound.code || error.status === 400)
  );
}
