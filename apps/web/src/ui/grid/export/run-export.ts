import { t } from '@lingui/core/macro';
import { describeFailure } from '../../../language/call-failure.ts';
import { formatSize } from '../../../language/formats.ts';
import { saveFile } from '../../save-file.ts';
import { toast } from '../../toast/toast.tsx';
import type { GridExport, GridServer } from '../rows/grid-server.ts';

/** Larger exports are streamed to disk if the browser supports it. */
const rowsInMemory = 100_000;

type PickFile = (options: { suggestedName: string }) => Promise<{
  createWritable: () => Promise<WritableStream<Uint8Array>>;
}>;

/** Fetches and saves the file. Shows progress with a cancel button, the result or an error as toasts. */
export async function runExport(
  server: GridServer,
  request: GridExport,
  {
    label,
    total,
  }: {
    /** Name of the list; also the file name. */
    label: string;
    /** Expected number of rows. */
    total: number;
  },
): Promise<void> {
  const fileName = `${label.toLowerCase().replaceAll(/\s+/g, '-')}.${request.format}`;
  const pickFile = (window as { showSaveFilePicker?: PickFile }).showSaveFilePicker;
  let target: WritableStream<Uint8Array> | undefined;
  if (pickFile && total > rowsInMemory) {
    try {
      // The picker is opened before any other await, because it needs the click's transient activation.
      target = await (await pickFile({ suggestedName: fileName })).createWritable();
    } catch (error) {
      if (isAbort(error)) return;
      // The picker is not allowed here (in a frame, or by a policy): collect the file in memory.
    }
  }
  const controller = new AbortController();
  const id = toast.progress(t`Preparing ${fileName}…`, {
    action: { label: t`Cancel`, onClick: () => controller.abort() },
  });
  try {
    const response = await server.openExport(request, controller.signal);
    const { body } = response;
    if (!body) throw new Error('The server sent an empty file. Try again.');
    const counted = body.pipeThrough(
      byteCounter((bytes) => toast.update(id, t`Preparing ${fileName}… ${formatSize(bytes)} so far`)),
    );
    if (target) await counted.pipeTo(target, { signal: controller.signal });
    else {
      const type = response.headers.get('content-type') ?? 'application/octet-stream';
      saveFile(await new Response(counted, { headers: { 'content-type': type } }).blob(), fileName);
    }
    toast.close(id);
    toast.success(t`${fileName} saved.`);
  } catch (error) {
    // If writing has not started, this releases the file. A failed `pipeTo` has already aborted the file.
    target?.abort().catch(() => {});
    toast.close(id);
    if (controller.signal.aborted) {
      toast.success(t`Export cancelled.`);
      return;
    }
    const { message, ...rest } = describeFailure(error);
    toast.failure({ message: t`${fileName} could not be exported. ${message}`, ...rest });
  }
}

/** Reports the number of bytes received, at most every 300 ms. */
function byteCounter(onBytes: (bytes: number) => void): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  let lastReportAt = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (performance.now() - lastReportAt > 300) {
        lastReportAt = performance.now();
        onBytes(bytes);
      }
      controller.enqueue(chunk);
    },
  });
}

function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
