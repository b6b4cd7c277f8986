/** A file with all rows that match: read as it comes, with what has arrived in a message that can cancel it. */
import { t } from '@lingui/core/macro';
import { describeFailure } from '../../../language/call-failure.ts';
import { formatSize } from '../../../language/formats.ts';
import { saveFile } from '../../save-file.ts';
import { toast } from '../../toast/toast.tsx';
import type { GridExport, GridServer } from '../rows/grid-server.ts';

/** More rows than these are written to the disk as they come, where the browser can do that. */
const rowsInMemory = 100_000;

type PickFile = (options: { suggestedName: string }) => Promise<{
  createWritable: () => Promise<WritableStream<Uint8Array>>;
}>;

/** Fetches the file and hands it to the person. Says by itself how it goes. */
export async function runExport(
  server: GridServer,
  wanted: GridExport,
  {
    label,
    total,
  }: {
    /** What the rows are; names the file. */
    label: string;
    /** How many there are, as far as is known. */
    total: number;
  },
): Promise<void> {
  const fileName = `${label.toLowerCase().replaceAll(/\s+/g, '-')}.${wanted.format}`;
  const pick = (window as { showSaveFilePicker?: PickFile }).showSaveFilePicker;
  let target: WritableStream<Uint8Array> | undefined;
  if (pick && total > rowsInMemory) {
    try {
      // First of all: the browser asks only while the click is fresh.
      target = await (await pick({ suggestedName: fileName })).createWritable();
    } catch (error) {
      if (isAbort(error)) return;
      // Forbidden here (in a frame, by a policy): the file is kept in memory instead.
    }
  }
  const stop = new AbortController();
  const id = toast.progress(t`Preparing ${fileName}…`, {
    action: { label: t`Cancel`, onClick: () => stop.abort() },
  });
  try {
    const response = await server.openExport(wanted, stop.signal);
    const { body } = response;
    if (!body) throw new Error('The server sent an empty file. Try again.');
    const counted = body.pipeThrough(
      counter((bytes) => toast.tell(id, t`Preparing ${fileName}… ${formatSize(bytes)} so far`)),
    );
    if (target) await counted.pipeTo(target, { signal: stop.signal });
    else {
      const type = response.headers.get('content-type') ?? 'application/octet-stream';
      saveFile(await new Response(counted, { headers: { 'content-type': type } }).blob(), fileName);
    }
    toast.close(id);
    toast.success(t`${fileName} saved.`);
  } catch (error) {
    // What has not begun to be written is let go of here; `pipeTo` has done it with the rest.
    target?.abort().catch(() => {});
    toast.close(id);
    if (stop.signal.aborted) {
      toast.success(t`Export cancelled.`);
      return;
    }
    const { message, ...rest } = describeFailure(error);
    toast.failure({ message: t`${fileName} could not be exported. ${message}`, ...rest });
  }
}

/** Tells how many bytes have passed, a few times a second. */
function counter(tell: (bytes: number) => void): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  let told = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (performance.now() - told > 300) {
        told = performance.now();
        tell(bytes);
      }
      controller.enqueue(chunk);
    },
  });
}

function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
