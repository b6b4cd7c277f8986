/** Upload button, file chooser, drop zone and list of interrupted uploads. */
import { t } from '@lingui/core/macro';
import { IconUpload } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useRef, type ReactNode } from 'react';
import { Button } from '../../../ui/button.tsx';
import { toast } from '../../../ui/toast/toast.tsx';
import { selectWithinQuota, type useStorageUsage } from '../quota.tsx';
import { DropZone } from './drop-zone.tsx';
import { UnfinishedUploads } from './unfinished-uploads.tsx';
import { startUploads } from './upload-dock.tsx';

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
