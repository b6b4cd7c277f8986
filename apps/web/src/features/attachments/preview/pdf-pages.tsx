/**
 * PDF preview with pdf.js on canvases. Scripts are disabled, and pages are drawn when they become visible. The default
 * build of the library needs newer browsers than this site.
 */
import { t } from '@lingui/core/macro';
import {
  getDocument,
  GlobalWorkerOptions,
  type PDFDocumentProxy,
  type PDFPageProxy,
  type RenderTask,
} from 'pdfjs-dist/legacy/build/pdf.mjs';
// oxlint-disable-next-line import/default -- the bundler returns the URL of the file
import workerAddress from 'pdfjs-dist/legacy/build/pdf.worker.min.mjs?url';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { Skeleton } from '../../../ui/states.tsx';

type PageText = Awaited<ReturnType<PDFPageProxy['getTextContent']>>;

GlobalWorkerOptions.workerSrc = workerAddress;

/** Further pages are not shown. */
const pagesMaximum = 200;
/** Maximum width of a page in pixels, to limit memory. */
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
      // The content security policy prohibits WebAssembly; the library falls back to JavaScript.
      useWasm: false,
      enableXfa: false,
      // Fetch only visible pages.
      disableAutoFetch: true,
      disableStream: true,
    });
    let isOver = false;
    const open = async () => {
      try {
        const file = await task.promise;
        const { width, height } = (await file.getPage(1)).getViewport({ scale: 1 });
        const count = Math.min(file.numPages, pagesMaximum);
        if (!isOver)
          setPages({
            file,
            numbers: Array.from({ length: count }, (_, index) => index + 1),
            ratio: height / width,
          });
      } catch (error) {
        if (!isOver) fail(error);
      }
    };
    void open();
    return () => {
      isOver = true;
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
  const [text, setText] = useState('');
  const fail = useEffectEvent(onError);

  useEffect(() => {
    const { current } = canvas;
    if (!current) return undefined;
    let isOver = false;
    let drawing: RenderTask | null = null;
    const read = async (page: PDFPageProxy): Promise<void> => {
      // `getTextContent` iterates over the stream, which fails in Safari (https://github.com/mozilla/pdf.js/issues/21557).
      const reader = (page.streamTextContent() as ReadableStream<PageText>).getReader();
      const words: string[] = [];
      for (let part = await reader.read(); !part.done; part = await reader.read())
        words.push(...part.value.items.map((item) => ('str' in item ? item.str : '')));
      setText(words.join(' '));
    };
    const show = async (): Promise<void> => {
      const page = await file.getPage(number);
      drawing = draw(page, current);
      // Await both: if bytes are missing, the library may reject only one of them.
      await Promise.all([drawing.promise, read(page)]);
    };
    const watch = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.isIntersecting) return;
        watch.disconnect();
        // Errors after closing are ignored, because closing the dialog destroys the document.
        show().catch((error: unknown) => isOver || fail(error));
      },
      { rootMargin: '50% 0px' },
    );
    watch.observe(current);
    return () => {
      isOver = true;
      watch.disconnect();
      drawing?.cancel();
    };
  }, [file, number]);

  return (
    <>
      <canvas ref={canvas} style={{ aspectRatio: `1 / ${ratio}` }} aria-hidden="true" />
      {/* Text of the page for screen readers. */}
      <p className="visually-hidden">{text}</p>
    </>
  );
}

function draw(page: PDFPageProxy, canvas: HTMLCanvasElement): RenderTask {
  const natural = page.getViewport({ scale: 1 });
  const width = Math.min(canvas.clientWidth * window.devicePixelRatio, widthMaximum);
  const viewport = page.getViewport({ scale: width / natural.width });
  canvas.width = Math.floor(viewport.width);
  canvas.height = Math.floor(viewport.height);
  canvas.style.aspectRatio = `${viewport.width} / ${viewport.height}`;
  return page.render({ canvas, viewport });
}
