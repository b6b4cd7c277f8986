/** Interrupted uploads, to be resumed or discarded. */
import { t } from '@lingui/core/macro';
import { listUploads, type Upload } from '@vestibule/contract/attachments';
import { formatSize } from '../../../language/formats.ts';
import { useApiQuery } from '../../../lib/use-api-query.ts';
import { Button, QuietButton } from '../../../ui/button.tsx';
import { runWithErrorToast } from '../../../ui/toast/toast.tsx';
import { uploadLocation, discardStoredUpload, useUploads } from './uploads.ts';
import '../attachments.css';

export function UnfinishedUploads({ onChoose, onChanged }: { onChoose: () => void; onChanged: () => void }) {
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
