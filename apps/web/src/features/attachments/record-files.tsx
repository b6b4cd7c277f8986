/** Files on a record of an extension: list, upload, download and deletion. Screens of extensions use it. */
import { t } from '@lingui/core/macro';
import { IconDownload, IconTrash, IconUpload } from '@tabler/icons-react';
import { deleteAttachment, type AttachmentKind } from '@vestibule/contract/attachments';
import { uploadErrors } from '@vestibule/contract/attachments/errors';
import { recordFileErrors, recordFileRoutes, type RecordFile } from '@vestibule/contract/record-files';
import { useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { CallFailure, describeFailure } from '../../language/call-failure.ts';
import { formatSize } from '../../language/formats.ts';
import { activeOrganization } from '../../lib/active-organization.ts';
import { call } from '../../lib/call.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { Button, QuietButton } from '../../ui/button.tsx';
import { useDialog } from '../../ui/dialog/use-dialog.tsx';
import { FileInput, useFileDrop } from '../../ui/fields/file-input.tsx';
import { StateBadge } from '../../ui/marks/badge.tsx';
import { DotSeparated, RecordList } from '../../ui/record-list.tsx';
import { Loading } from '../../ui/states.tsx';
import { Moment } from '../../ui/time/moment.tsx';
import { runWithErrorToast, toast } from '../../ui/toast/toast.tsx';
import { startDownload } from './attachment-changes.ts';
import { countOf, kindLabels, statusLabels } from './attachment-texts.ts';
import { discardUpload, transfer } from './uploads/tus-transfer.ts';
import { UploadQueue, type Transfer, type TransferFailure } from './uploads/upload-queue.ts';
import { Announcement, UploadLine, useUnloadWarning } from './uploads/upload-progress.tsx';
import './record-files.css';

type RecordParams = { organizationId: string; recordId: string };
type Routes = ReturnType<typeof recordFileRoutes>;

/** Types that the file chooser offers. Text files have many types. */
const chooserTypes: Record<AttachmentKind, string | null> = {
  picture: 'image/*',
  pdf: 'application/pdf',
  audio: 'audio/*',
  video: 'video/*',
  text: null,
  other: null,
};

type Props = {
  /** Type of the record, a name in `files` of the extension. */
  of: string;
  id: string;
  /** Default: the organization of the address. */
  organizationId?: string;
};

export function RecordFiles({ of: type, id: recordId, organizationId }: Props) {
  const organization = organizationId ?? activeOrganization()?.organizationId;
  if (organization === undefined)
    throw new Error('RecordFiles needs an organizationId outside of its screens.');
  return (
    <FilesOf
      key={`${organization}/${type}/${recordId}`}
      type={type}
      params={{ organizationId: organization, recordId }}
    />
  );
}

function FilesOf({ type, params }: { type: string; params: RecordParams }) {
  const routes = useMemo(() => recordFileRoutes(type), [type]);
  const query = useApiQuery(routes.list, {
    key: ['files', type, params.recordId],
    params,
    changesOf: 'attachments',
    staleTime: 0,
  });
  const uploadButton = useRef<HTMLButtonElement>(null);
  const { dialog, ask } = useDialog();
  const { data, refetch } = query;

  const askToRemove = ({ id: fileId, name }: RecordFile) =>
    ask({
      title: t`Delete this file?`,
      confirm: t`Delete`,
      danger: true,
      text: t`${name} is deleted for everyone. This cannot be undone.`,
      act: async () => {
        await call(routes.remove, { params: { ...params, fileId } });
        toast.success(t`${name} is deleted.`);
        // The dialog has closed by then.
        void refetch().then(() => uploadButton.current?.focus());
      },
    });

  return (
    <section className="record-files" aria-label={t`Files`}>
      <h2>{t`Files`}</h2>
      <Loading query={query} title={t`The files could not be loaded`} lines={2} />
      {data && (
        <RecordList
          empty={t`No files yet.`}
          entries={data.rows.map((file) => ({
            id: file.id,
            text: file.name,
            detail: (
              <DotSeparated
                facts={[formatSize(file.size), file.addedBy, <Moment key="at" at={file.createdAt} />]}
              />
            ),
            badges: (
              <div className="button-row">
                {file.status === 'ready' ? (
                  <QuietButton
                    aria-label={t`Download ${file.name}`}
                    icon={<IconDownload size={16} aria-hidden="true" />}
                    onClick={() => download(routes, params, file)}
                  />
                ) : (
                  <StateBadge of={statusLabels()[file.status]} />
                )}
                {data.mayChange && (
                  <QuietButton
                    aria-label={t`Delete ${file.name}`}
                    icon={<IconTrash size={16} aria-hidden="true" />}
                    onClick={() => askToRemove(file)}
                  />
                )}
              </div>
            ),
          }))}
        />
      )}
      {data?.mayChange && (
        <Uploading
          routes={routes}
          params={params}
          limits={data}
          button={uploadButton}
          onAdded={() => void refetch()}
        />
      )}
      {dialog}
    </section>
  );
}

const download = (routes: Routes, params: RecordParams, { id: fileId }: RecordFile) =>
  runWithErrorToast(async () => {
    const { path } = await call(routes.link, {
      params: { ...params, fileId },
      body: { purpose: 'download' },
    });
    startDownload(path);
  });

type Limits = { rows: RecordFile[]; maximum: number; maximumBytes: number; kinds: AttachmentKind[] };

function Uploading({
  routes,
  params,
  limits,
  button,
  onAdded,
}: {
  routes: Routes;
  params: RecordParams;
  limits: Limits;
  button: React.RefObject<HTMLButtonElement | null>;
  onAdded: () => void;
}) {
  const chooser = useRef<HTMLInputElement>(null);
  const [queue] = useState(() => createQueue(routes, params, onAdded));
  const progress = useSyncExternalStore(queue.watch, queue.progress);
  const shown = progress.uploads.filter(({ state }) => state !== 'done');
  const { maximum } = limits;
  const remaining = maximum - limits.rows.length - progress.active;
  const types = limits.kinds.map((kind) => chooserTypes[kind]);
  const size = formatSize(limits.maximumBytes);
  const count = countOf(maximum);
  const kinds = limits.kinds.map((kind) => kindLabels()[kind]).join(', ');
  const takesAll = limits.kinds.length === Object.keys(chooserTypes).length;

  useUnloadWarning(progress.active > 0);

  const add = (files: readonly File[]) => {
    const fitting = files.filter((file) => file.size <= limits.maximumBytes);
    const large = files
      .filter((file) => !fitting.includes(file))
      .map(({ name }) => name)
      .join(', ');
    if (large) toast.failure(t`Too large: ${large}. A file can have at most ${size}.`);
    if (fitting.length > remaining)
      toast.failure(t`There can be at most ${count} here. Delete some, or choose fewer.`);
    else if (fitting.length > 0) queue.add(fitting);
  };
  const { isDragging, dropProps } = useFileDrop(add);

  return (
    <div {...dropProps} className={isDragging ? 'record-upload record-upload-target' : 'record-upload'}>
      {shown.length > 0 && (
        <ul aria-label={t`Uploads`}>
          {shown.map((upload) => (
            <UploadLine key={upload.id} upload={upload} queue={queue} />
          ))}
        </ul>
      )}
      <Announcement progress={progress} />
      <FileInput
        ref={chooser}
        multiple
        accept={types.includes(null) ? undefined : types.join(',')}
        onFiles={add}
      />
      <Button
        ref={button}
        icon={<IconUpload size={18} stroke={1.75} aria-hidden="true" />}
        onClick={() => chooser.current?.click()}
      >
        {t`Upload files`}
      </Button>
      <p className="small-print">
        {t`Or drop them here: at most ${count}, each with at most ${size}.`}
        {!takesAll && ` ${t`Kinds of files: ${kinds}.`}`}
      </p>
    </div>
  );
}

/** Deletes an uploaded file that can never be added. Otherwise, the failure says where the file is until the user tries again. */
async function handleRefusal(error: unknown, attachmentId: string): Promise<TransferFailure> {
  const { code, status } = error instanceof CallFailure ? error : { code: '', status: 0 };
  const failure = describeFailure(error);
  if (status === 0 || status >= 500) return { kind: 'lost', ...failure };
  const isFinal = code === recordFileErrors.kindNotAllowed.code || code === uploadErrors.fileTooLarge.code;
  if (isFinal) {
    try {
      await call(deleteAttachment, { params: { attachmentId }, query: {} });
      return { kind: 'refused', isFinal, ...failure };
    } catch {
      // The message names the place of the file.
    }
  }
  const message = `${failure.message} ${t`The uploaded file is a private file in Attachments.`}`;
  return { kind: 'refused', isFinal, ...failure, message };
}

function createQueue(routes: Routes, params: RecordParams, onAdded: () => void): UploadQueue {
  /** Ids of complete uploads, which are private files until they are added. */
  const complete = new Set<string>();
  /** Uploads a file, then adds it to the record. */
  const transferToRecord: Transfer = async (file, storedId, options) => {
    let attachmentId = storedId;
    const failure = await transfer(file, storedId, {
      ...options,
      onUploadId(id) {
        attachmentId = id;
        options.onUploadId(id);
      },
    });
    if (failure !== null || attachmentId === null) return failure;
    complete.add(attachmentId);
    try {
      await call(routes.add, { params, body: { attachmentId } });
      return null;
    } catch (error) {
      return handleRefusal(error, attachmentId);
    }
  };
  return new UploadQueue({
    transfer: transferToRecord,
    async discard(id) {
      if (complete.has(id)) await call(deleteAttachment, { params: { attachmentId: id }, query: {} });
      else await discardUpload(id);
    },
    storage: { find: () => undefined, save() {}, remove() {} },
    onFinished: onAdded,
  });
}
