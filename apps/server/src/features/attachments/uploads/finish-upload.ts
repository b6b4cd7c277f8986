/** Turns complete uploads into attachments. Idempotent and safe for concurrent calls in several processes. */
import { uploadErrors } from '@vestibule/contract/attachments/errors';
import { personErrors } from '@vestibule/contract/people';
import { attachmentAudit } from '../files/attachment-changes.ts';
import { execute, rowOf, type DatabaseDeps } from '../../../platform/database/database.ts';
import { fail, required } from '../../../platform/errors/failure.ts';
import type { Actor, Caller, Origin } from '../../../platform/http/implement.ts';
import { isSignedOut } from '../../../platform/identity/access-token.ts';
import { insertAttachment } from '../files/attachment-store.ts';
import { headerLength, detectFileType } from '../contents/file-type.ts';
import { sha256Of, type FileStorage, type SealedFile } from '../../../platform/storage/storage.ts';
import type { UploadContent } from './upload-content.ts';
import { findFinishedSize, type UploadRow } from './upload-rows.ts';

export type FinishUpload = (id: string, caller: Caller, origin: Origin) => Promise<void>;

type Deps = DatabaseDeps & {
  storage: FileStorage;
  scans: boolean;
  onStored: (id: string) => void;
  uploadContent: Pick<UploadContent, 'processId' | 'hashOf' | 'forgetHash' | 'remove'>;
};

/** `verifiedAt`: time at which the stored bytes had this hash. */
type VerifiedHash = { sha256: Buffer; verifiedAt: Date };

/** Verification time of bytes that were hashed on receipt and not read again. The first complete download verifies them. */
const unverifiedTime = new Date(0);

export function createFinishUpload(deps: Deps): FinishUpload {
  const { database, storage, uploadContent } = deps;
  const finishing = new Map<string, Promise<void>>();

  /** Closes the upload for writing and protects it from the clean-up. Returns null if the clean-up has claimed it. */
  const closeUpload = async (id: string): Promise<UploadRow | null> =>
    rowOf<UploadRow>(database, { name: 'seal-upload' })`
      update attachment_uploads set sealed = true, touched_at = ${new Date(deps.now())}
      where id = ${id} and (owner_id is not null or not sealed) returning *`;

  async function findHash(
    upload: UploadRow,
    contents: SealedFile,
    isSoleWriter: boolean,
  ): Promise<VerifiedHash> {
    // Another process may have overwritten bytes that were hashed here.
    const receivedHash = isSoleWriter ? uploadContent.hashOf(upload) : null;
    if (receivedHash) return { sha256: receivedHash, verifiedAt: unverifiedTime };
    const stored = required(await contents.read(), uploadErrors.notFound);
    return { sha256: await sha256Of(stored), verifiedAt: new Date(deps.now()) };
  }

  async function readHeader(upload: UploadRow, contents: SealedFile): Promise<Buffer> {
    if (upload.size === 0) return Buffer.alloc(0);
    const end = Math.min(headerLength, upload.size) - 1;
    const stored = required(await contents.read({ start: 0, end }), uploadErrors.notFound);
    return Buffer.concat((await stored.toArray()) as Buffer[]);
  }

  async function finishOnce(id: string, caller: Caller, origin: Origin): Promise<void> {
    const upload = await closeUpload(id);
    if (!upload) {
      uploadContent.forgetHash(id);
      if ((await findFinishedSize(database, id)) === null) throw fail(uploadErrors.notFound);
      return;
    }
    const isSoleWriter = upload.writers.every((writer) => writer === uploadContent.processId);
    const contents = required(await storage.seal(id, !isSoleWriter), uploadErrors.notFound);
    let published = false;
    try {
      const hashed = await findHash(upload, contents, isSoleWriter);
      if (upload.declared_sha256 && !upload.declared_sha256.equals(hashed.sha256)) {
        await uploadContent.remove(id);
        throw fail(uploadErrors.hashMismatch);
      }
      const header = await readHeader(upload, contents);
      published = await publishAttachment(deps, upload, { ...hashed, header, contents }, { caller, origin });
    } finally {
      if (!published) await contents.discard();
    }
    uploadContent.forgetHash(id);
    if (published) deps.onStored(id);
  }

  return (id, caller, origin) => {
    const running = finishing.get(id);
    if (running) return running;
    const finished = finishOnce(id, caller, origin).finally(() => finishing.delete(id));
    finishing.set(id, finished);
    return finished;
  };
}

type Owner = {
  display_name: string;
  email: string;
  status: string;
  validAfter: Date | null;
  hasSession: boolean;
};

/** Replaces the upload by an attachment. Returns false if another process already did. */
async function publishAttachment(
  { database, scans, now }: Pick<Deps, 'database' | 'scans' | 'now'>,
  upload: UploadRow,
  { sha256, verifiedAt, header, contents }: VerifiedHash & { header: Buffer; contents: SealedFile },
  call: Actor,
): Promise<boolean> {
  const { id } = upload;
  const { session: sessionId = null, signedInAt = 0 } = call.caller;
  const { type, kind } = detectFileType(upload.declared_type, upload.name, header);
  return database.transaction(async (transaction) => {
    const owner = await rowOf<Owner>(transaction, { name: 'hold-owner' })`
      select display_name, email, status, tokens_valid_after as "validAfter",
        exists (select from sessions where id = ${sessionId}) as "hasSession"
      from people where id = ${upload.owner_id} for key share`;
    // An upload can take long: its owner must be active and signed in when the last byte arrives, as admission.ts requires.
    if (owner?.status !== 'active') throw fail(personErrors.disabled);
    if (isSignedOut({ signedInAt, sessionId }, owner)) throw fail(personErrors.signedOut);
    const rowCount = await execute(transaction, { name: 'finish-upload' })`
      delete from attachment_uploads where id = ${id}`;
    if (rowCount === 0) return false;
    await insertAttachment(transaction, {
      id,
      ownerId: upload.owner_id,
      ownerName: owner.display_name,
      ownerEmail: owner.email,
      name: upload.name,
      type,
      kind,
      size: upload.size,
      sha256,
      status: scans ? 'scanning' : 'ready',
      createdAt: new Date(now()),
      verifiedAt,
    });
    const detail = { size: upload.size, type, sha256: sha256.toString('hex') };
    await attachmentAudit.record(transaction, upload, 'attachment.uploaded', call, detail);
    // Publishing is the last step. If the commit fails afterwards, the upload remains although its bytes are published.
    await contents.publish();
    return true;
  });
}
