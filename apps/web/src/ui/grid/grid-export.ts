// A file with all rows that match: read as it comes, with what has arrived in a message that can cancel it.
import { t } from '@lingui/core/macro';
import { formatNumber } from '../../language/formats.ts';
import type { GridExport, GridServer } from './rows/grid-server.ts';
import { toast } from '../toast/toast.tsx';

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
    name,
    total,
    describeFailure,
  }: {
    /** Of the file, without its ending. */
    name: string;
    total: number;
    describeFailure: (error: unknown) => { message: string; reference?: string };
  },
): Promise<void> {
  const fileName = `${name}.${wanted.format}`;
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
  const id = toast.progress(t`${fileName} is being prepared …`, {
    action: { label: t`Cancel`, onClick: () => stop.abort() },
  });
  try {
    const response = await server.openExport(wanted, stop.signal);
    const { body } = response;
    if (!body) throw new Error('The server sent an empty file. Try again.');
    const counted = body.pipeThrough(
      counter((bytes) => toast.tell(id, t`${fileName}: ${megabytes(bytes)} so far …`)),
    );
    if (target) await counted.pipeTo(target, { signal: stop.signal });
    else {
      const type = response.headers.get('content-type') ?? 'application/octet-stream';
      save(await new Response(counted, { headers: { 'content-type': type } }).blob(), fileName);
    }
    toast.close(id);
    toast.success(t`${fileName} is saved.`);
  } catch (error) {
    toast.close(id);
    if (stop.signal.aborted) {
      toast.success(t`The export is cancelled.`);
      return;
    }
    const { message, reference } = describeFailure(error);
    toast.failure(t`${fileName} could not be written. ${message}`, { reference });
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

function megabytes(bytes: number): string {
  return `${formatNumber(bytes / 1e6, { maximumFractionDigits: 1, minimumFractionDigits: 1 })} MB`;
}

function save(file: Blob, fileName: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = fileName;
  link.click();
  // The browser has taken it over by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
