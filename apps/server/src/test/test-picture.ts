/** Minimal PNG of the given dimensions with `rest` more bytes. */
export function png(width = 96, height = 72, rest = 0): Buffer {
  const bytes = Buffer.alloc(45 + rest);
  bytes.write('\x89PNG\r\n\x1A\n', 0, 'latin1');
  bytes.writeUInt32BE(13, 8);
  bytes.write('IHDR', 12, 'latin1');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  bytes.write('IEND', bytes.length - 8, 'latin1');
  return bytes;
}
