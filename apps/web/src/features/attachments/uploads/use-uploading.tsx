/** Upload button, file chooser, drop zone and list of interrupted uploads. */
import { t } from '@lingui/core/macro';
import { IconUpload } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useRef, useState, type ReactNode } from 'react';
import { Button, QuietButton } from '../../../ui/button.tsx';
import { FileInput } from '../../../ui/fields/file-input.tsx';
import { toast, runWithErrorToast } from '../../../ui/toast/toast.tsx';
import { selectWithinQuota, type useStorageUsage } from '../quota.tsx';
import { startUploads } from './upload-dock.tsx';
import '../attachments.css';
import { listUploads, type Upload } from '@vestibule/contract/attachments';
import { formatSize } from '../../../language/formats.ts';
import { useApiQuery } from '../../../lib/use-api-query.ts';
import { preloadUploads } from './tus-transfer.ts';
import { uploadLocation, discardStoredUpload, useUploads } from './uploads.ts';

export function useUploading({
  usage,
  opensChooser,
  onChooserOpened,
}: {
  usage: ReturnType<typeof useStorageUsage>;
  /** Whether to open the file chooser immediately. */
  opensChooser: boolean;
  onChooserOpened: () => void;
}): { choose: () => void; button: ReactNode; area: ReactNode } {
  const chooser = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);

  const upload = (files: readonly File[]) => {
    const { files: fitting, problem } = selectWithinQuota(files, usage.data);
    if (problem) toast.failure(problem);
    if (fitting.length > 0) startUploads(fitting);
  };
  const choose = () => chooser.current?.click();
  const openChooser = useEffectEvent(() => {
    // If the browser blocks the chooser without a click, the focused button opens it.
    button.current?.focus();
    choose();
    onChooserOpened();
  });
  useEffect(preloadUploads, []);
  useEffect(() => {
    if (opensChooser) openChooser();
  }, [opensChooser]);

  return {
    choose,
    button: (
      <Button ref={button} variant="primary" icon={<IconUpload size={18} stroke={1.75} />} onClick={choose}>
        {t`Upload files`}
      </Button>
    ),
    area: (
      <>
        <FileInput ref={chooser} multiple onFiles={upload} />
        <DropZone onFiles={upload} />
        <UnfinishedUploads onChoose={choose} onChanged={() => void usage.refetch()} />
      </>
    ),
  };
}

/** Accepts files dropped or pasted anywhere on the screen, and shows an overlay while files are dragged over it. */
function DropZone({ onFiles }: { onFiles: (files: File[]) => void }) {
  const [isDragging, setDragging] = useState(false);

  const take = useEffectEvent((transfer: DataTransfer | null): void => {
    const { files, folders } = filesIn(transfer);
    if (folders > 0)
      toast.failure(t`Folders cannot be uploaded. Open the folder and drop its files, or zip it first.`);
    if (files.length > 0) onFiles(files);
  });

  useEffect(() => {
    // Counts the entered elements, because `dragenter` of an element precedes `dragleave` of its parent.
    let depth = 0;
    const enter = (event: DragEvent) => {
      if (!isDropTarget(event)) return;
      event.preventDefault();
      depth += 1;
      setDragging(true);
    };
    const onDragLeave = (event: DragEvent) => {
      if (!isDropTarget(event)) return;
      depth = Math.max(0, depth - 1);
      if (depth === 0) setDragging(false);
    };
    // Applies to dialogs as well: otherwise the browser would open the file.
    const hold = (event: DragEvent) => {
      if (holdsFiles(event)) event.preventDefault();
    };
    const drop = (event: DragEvent) => {
      hold(event);
      if (!isDropTarget(event)) return;
      depth = 0;
      setDragging(false);
      take(event.dataTransfer);
    };
    const paste = (event: ClipboardEvent) => {
      const isTyped = event.target instanceof Element && event.target.closest('input, textarea, dialog');
      if (isTyped || !event.clipboardData?.files.length) return;
      event.preventDefault();
      take(event.clipboardData);
    };
    const listeners = { dragenter: enter, dragleave: onDragLeave, dragover: hold, drop, paste };
    for (const [name, listener] of Object.entries(listeners))
      window.addEventListener(name, listener as EventListener);
    return () => {
      for (const [name, listener] of Object.entries(listeners))
        window.removeEventListener(name, listener as EventListener);
    };
  }, []);

  return isDragging ? (
    <div className="drop-zone">
      <div>
        <IconUpload size={40} stroke={1.5} aria-hidden="true" />
        <p>{t`Drop to upload`}</p>
      </div>
    </div>
  ) : null;
}

/** Returns whether files are dragged while no dialog is open. */
const isDropTarget = (event: DragEvent): boolean =>
  holdsFiles(event) && !document.querySelector('dialog[open]');

const holdsFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') === true;

function filesIn(transfer: DataTransfer | null): { files: File[]; folders: number } {
  const items = [...(transfer?.items ?? [])].filter(({ kind }) => kind === 'file');
  const files: File[] = [];
  let folders = 0;
  for (const item of items) {
    // Folders appear as unreadable files.
    const isFolder = item.webkitGetAsEntry()?.isDirectory === true;
    const file = isFolder ? null : item.getAsFile();
    if (isFolder) folders += 1;
    if (file) files.push(file);
  }
  return { files, folders };
}

function UnfinishedUploads({ onChoose, onChanged }: { onChoose: () => void; onChanged: () => void }) {
  // Renders again when uploads of this tab change: those are shown in the dock instead of here.
  useUploads();
  const query = useApiQuery(listUploads, { key: ['attachments', 'unfinished'], staleTime: 0 });
  const rows =
    query.data?.rows
      .map((upload) => ({ upload, location: uploadLocation(upload.id) }))
      .filter(({ location }) => location !== null) ?? [];
  if (rows.length === 0) return null;

  const discard = ({ id }: Upload) =>
    runWithErrorToast(async () => {
      await discardStoredUpload(id);
      await query.refetch();
      onChanged();
    });
  const isHere = rows.some(({ location }) => location === 'this browser');
  return (
    <section className="unfinished" aria-label={t`Interrupted uploads`}>
      <div>
        <h2>{t`Interrupted uploads`}</h2>
        <p className="small-print">
          {isHere
            ? t`Choose the same file again, or drop it here. The upload continues where it stopped. Browsers cannot reopen your files on their own.`
            : t`They were started in another browser. Continue there, or discard them to free up space.`}
        </p>
      </div>
      <ul>
        {rows.map(({ upload, location }) => (
          <li key={upload.id}>
            <span>
              <strong>{upload.name}</strong>
              <small>
                {receivedText(upload)}
                {location === 'another browser' && ` · ${t`started in another browser`}`}
              </small>
            </span>
            {location === 'this browser' && (
              <Button size="small" onClick={onChoose}>
                {t`Choose the file again`}
                <span className="visually-hidden">{upload.name}</span>
              </Button>
            )}
            <QuietButton aria-label={t`Discard ${upload.name}`} onClick={() => discard(upload)}>
              {t`Discard`}
            </QuietButton>
          </li>
        ))}
      </ul>
    </section>
  );
}

function receivedText({ received, size }: Upload): string {
  const [there, whole] = [formatSize(received), formatSize(size)];
  return t`${there} of ${whole} are there`;
}
