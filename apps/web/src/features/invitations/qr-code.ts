/** QR codes as SVG path, SVG file and PNG file. */
import { encode } from 'uqr';

/** Width of the quiet zone in modules (ISO/IEC 18004). */
const border = 4;
const pngPixels = 1_024;

type QrCode = { size: number; path: string };

export function drawQrCode(text: string): QrCode {
  const { data, size } = encode(text, { border, ecc: 'M' });
  let path = '';
  for (const [y, row] of data.entries())
    for (const [x, dark] of row.entries()) if (dark) path += `M${x} ${y}h1v1h-1z`;
  return { size, path };
}

export function qrCodeAsSvg({ size, path }: QrCode): Blob {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${path}"/></svg>`;
  return new Blob([svg], { type: 'image/svg+xml' });
}

export async function qrCodeAsPng({ size, path }: QrCode): Promise<Blob> {
  const square = Math.floor(pngPixels / size);
  const canvas = new OffscreenCanvas(size * square, size * square);
  const drawing = canvas.getContext('2d');
  if (!drawing) throw new Error('This browser draws nothing.');
  drawing.fillStyle = '#fff';
  drawing.fillRect(0, 0, canvas.width, canvas.height);
  drawing.fillStyle = '#000';
  drawing.scale(square, square);
  // oxlint-disable-next-line unicorn/no-array-fill-with-reference-type -- this is a canvas context, not an array
  drawing.fill(new Path2D(path));
  return canvas.convertToBlob({ type: 'image/png' });
}
