/** Upload button, file chooser, drop zone and list of interrupted uploads. */
import { t } from '@lingui/core/macro';
import { IconUpload } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useRef, useState, type ReactNode } from 'react';
import { Button } from '../../../ui/button.tsx';
import { toast } from '../../../ui/toast/toast.tsx';
import { selectWithinQuota, type useStorageUsage } from '../quota.tsx';
import { UnfinishedUploads } from './unfinished-uploads.tsx';
import { startUploads } from './upload-dock.tsx';
import '../attachments.css';

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
        <input
          ref={chooser}
          type="file"
          hidden
          multiple
          onChange={({ currentTarget }) => {
            upload([...(currentTarget.files ?? [])]);
            // Allow choosing the same file again.
            currentTarget.value = '';
          }}
        />
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
function isDropTarget(event: DragEvent): boolean {
  return holdsFiles(event) && !document.querySelector('dialog[open]');
}

function holdsFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') === true;
}

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
