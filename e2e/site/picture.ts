/** Pictures to upload, as somebody would take them. */
import { crc32, deflateSync } from 'node:zlib';

/** Hills before a sky, as PNG: the same ones for the same `seed`, whatever the size. */
export function picture(seed = 0, width = 320, height = 240): Buffer {
  const day = seed % 2 === 0;
  const pixel = (x: number, y: number): number[] => {
    const [across, down] = [x / width, y / height];
    const sun = Math.hypot((across - 0.2 - (seed % 3) * 0.25) * 1.33, down - 0.3) < 0.11;
    const near = down > 0.78 + 0.07 * Math.sin(across * 5 + seed * 2);
    const far = down > 0.6 + 0.1 * Math.sin(across * 8 + seed);
    if (near) return day ? [44, 92, 58] : [38, 34, 66];
    if (far) return day ? [104, 150, 92] : [84, 62, 104];
    if (sun) return [255, 236, 170];
    const fading = Math.round(70 * down);
    return day ? [120 + fading, 180 + fading, 236] : [236, 130 + fading, 110 + fading];
  };
  const line = (y: number) =>
    Buffer.from([0, ...Array.from({ length: width }, (_, x) => pixel(x, y)).flat()]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits each of red, green and blue.
  header.set([8, 2], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(Array.from({ length: height }, (_, y) => line(y))))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The file of a picture, with the small one that a browser would make of it. */
export function pictureFile(name: string, seed = 0) {
  return { name, type: 'image/png', contents: picture(seed), thumbnail: picture(seed, 96, 72) };
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
