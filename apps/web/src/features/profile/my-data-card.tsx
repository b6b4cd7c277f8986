import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { downloadMyData } from '@vestibule/contract/profile';
import { openStream } from '../../lib/call.ts';
import { saveFile } from '../../ui/save-file.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/shell/page.tsx';
import { toast } from '../../ui/toast/toast.tsx';
import { runWithErrorToast } from '../../ui/toast/run-with-error-toast.ts';

export function MyDataCard() {
  const download = () =>
    runWithErrorToast(async () => {
      const { signal } = new AbortController();
      const answer = await openStream(downloadMyData, { accept: 'application/json', signal });
      const name = /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1];
      saveFile(await answer.blob(), name ?? 'my-data.json');
      toast.success(t`Your data is in your downloads.`);
    });
  return (
    <Card title={t`My data`}>
      <p className="card-lead">
        <Trans>
          Everything this site knows about you, in one file (JSON): your details and choices, sign-ins with
          their network addresses, invitations, the list of your files, and what the activity log says about
          you.
        </Trans>
      </p>
      <Button onClick={download}>{t`Download my data`}</Button>
    </Card>
  );
}
