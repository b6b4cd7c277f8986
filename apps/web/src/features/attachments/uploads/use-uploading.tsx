/** Everything through which files come in: the button, the browser's dialog, what is dropped or pasted, what was interrupted. */
import { t } from '@lingui/core/macro';
import { IconUpload } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useRef, type ReactNode } from 'react';
import { Button } from '../../../ui/button.tsx';
import { toast } from '../../../ui/toast/toast.tsx';
import { fit, type useUsage } from '../quota.tsx';
import { DropZone } from './drop-zone.tsx';
import { UnfinishedUploads } from './unfinished-uploads.tsx';
import { startUploads } from './upload-dock.tsx';

export function useUploading({
  usage,
  asked,
  onAsked,
}: {
  usage: ReturnType<typeof useUsage>;
  /** The browser's dialog is to open at once. */
  asked: boolean;
  onAsked: () => void;
}): { choose: () => void; button: ReactNode; area: ReactNode } {
  const chooser = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);

  const upload = (files: readonly File[]) => {
    const { files: fitting, problem } = fit(files, usage.data);
    if (problem) toast.failure(problem);
    if (fitting.length > 0) startUploads(fitting);
  };
  const choose = () => chooser.current?.click();
  const chooseAsAsked = useEffectEvent(() => {
    // Where the browser opens no dialog without a press on this page, the next press does.
    button.current?.focus();
    choose();
    onAsked();
  });
  useEffect(() => {
    if (asked) chooseAsAsked();
  }, [asked]);

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
            // The same file may be chosen again.
            currentTarget.value = '';
          }}
        />
        <DropZone onFiles={upload} />
        <UnfinishedUploads onChoose={choose} onChanged={() => void usage.refetch()} />
      </>
    ),
  };
}
