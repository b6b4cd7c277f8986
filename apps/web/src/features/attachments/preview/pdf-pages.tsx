/** A PDF drawn page by page on canvases by pdf.js: nothing in it is run, and no page is drawn before it is looked at. */
import { t } from '@lingui/core/macro';
import {
  getDocument,
  GlobalWorkerOptions,
  type PDFDocumentProxy,
  type PDFPageProxy,
  type RenderTask,
} from 'pdfjs-dist';
// oxlint-disable-next-line import/default -- the bundler answers the file's address
import workerAddress from 'pdfjs-dist/build/pdf.worker.min.mjs?url';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { Skeleton } from '../../../ui/skeleton.tsx';

GlobalWorkerOptions.workerSrc = workerAddress;

/** More pages are not for reading in a dialog. */
const pagesMaximum = 200;
/** So many pixels across are sharp enough on any screen, and kind to memory. */
const widthMaximum = 2_000;

export default function PdfPages({
  address,
  name,
  onError,
}: {
  address: string;
  name: string;
  onError: () => void;
}) {
  const [pages, setPages] = useState<{ file: PDFDocumentProxy; numbers: number[]; ratio: number } | null>(
    null,
  );
  const failed = (error: unknown) => {
    console.warn(error);
    onError();
  };
  const fail = useEffectEvent(failed);

  useEffect(() => {
    const task = getDocument({
      url: address,
      isEvalSupported: false,
      // The policy of the page allows no WebAssembly; the library has the same in JavaScript.
      useWasm: false,
      enableXfa: false,
      // Only what is looked at is fetched.
      disableAutoFetch: true,
      disableStream: true,
    });
    let over = false;
    const open = async () => {
      try {
        const file = await task.promise;
        const { width, height } = (await file.getPage(1)).getViewport({ scale: 1 });
        const count = Math.min(file.numPages, pagesMaximum);
        if (!over)
          setPages({
            file,
            numbers: Array.from({ length: count }, (_, index) => index + 1),
            ratio: height / width,
          });
      } catch (error) {
        if (!over) fail(error);
      }
    };
    void open();
    return () => {
      over = true;
      void task.destroy();
    };
  }, [address]);

  if (!pages) return <Skeleton lines={10} />;
  const count = pages.file.numPages;
  return (
    <>
      <ol className="preview-pages" aria-label={name}>
        {pages.numbers.map((number) => (
          <li key={number} aria-label={t`Page ${number} of ${count}`}>
            <PdfPage file={pages.file} number={number} ratio={pages.ratio} onError={failed} />
          </li>
        ))}
      </ol>
      {count > pagesMaximum && (
        <p className="preview-facts small-print">
          {t`These are the first ${pagesMaximum} of ${count} pages. Download the file for all of them.`}
        </p>
      )}
    </>
  );
}

function PdfPage({
  file,
  number,
  ratio,
  onError,
}: {
  file: PDFDocumentProxy;
  number: number;
  ratio: number;
  onError: (error: unknown) => void;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [words, setWords] = useState('');
  const fail = useEffectEvent(onError);

  useEffect(() => {
    const { current } = canvas;
    if (!current) return undefined;
    let over = false;
    let drawing: RenderTask | null = null;
    const read = async (page: PDFPageProxy): Promise<void> => {
      const { items } = await page.getTextContent();
      setWords(items.map((item) => ('str' in item ? item.str : '')).join(' '));
    };
    const show = async (): Promise<void> => {
      const page = await file.getPage(number);
      drawing = draw(page, current);
      // Both are waited for: where bytes do not come, the library may tell only one of the two.
      await Promise.all([drawing.promise, read(page)]);
    };
    const watch = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.isIntersecting) return;
        watch.disconnect();
        // A dialog that closes takes the document along.
        show().catch((error: unknown) => over || fail(error));
      },
      { rootMargin: '50% 0px' },
    );
    watch.observe(current);
    return () => {
      over = true;
      watch.disconnect();
      drawing?.cancel();
    };
  }, [file, number]);

  return (
    <>
      <canvas ref={canvas} style={{ aspectRatio: `1 / ${ratio}` }} aria-hidden="true" />
      {/* What is drawn is silent; this is the same to read out and to find. */}
      <p className="visually-hidden">{words}</p>
    </>
  );
}

function draw(page: PDFPageProxy, canvas: HTMLCanvasElement): RenderTask {
  const natural = page.getViewport({ scale: 1 });
  const wanted = Math.min(canvas.clientWidth * window.devicePixelRatio, widthMaximum);
  const viewport = page.getViewport({ scale: wanted / natural.width });
  canvas.width = Math.floor(viewport.width);
  canvas.height = Math.floor(viewport.height);
  canvas.style.aspectRatio = `${viewport.width} / ${viewport.height}`;
  return page.render({ canvas, viewport });
}
