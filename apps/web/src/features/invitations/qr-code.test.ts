import { describe, expect, test } from 'vitest';
import { drawQrCode, qrCodeAsSvg } from './qr-dialog.tsx';

describe('drawQrCode', () => {
  test('draws a quiet zone and three finder patterns (K2)', async () => {
    const code = drawQrCode('https://vestibule.example.com/signup?i=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA');
    const dark = new Set(code.path.matchAll(/M(\d+) (\d+)h/g).map(([, x, y]) => `${x} ${y}`));
    const inner = code.size - 4;
    const isFinder = (left: number, top: number) =>
      [0, 6].every((edge) =>
        [0, 1, 2, 3, 4, 5, 6].every(
          (at) => dark.has(`${left + at} ${top + edge}`) && dark.has(`${left + edge} ${top + at}`),
        ),
      );
    expect([isFinder(4, 4), isFinder(inner - 7, 4), isFinder(4, inner - 7)]).toEqual([true, true, true]);
    for (const square of dark) {
      const [x = 0, y = 0] = square.split(' ').map(Number);
      expect(Math.min(x, y)).toBeGreaterThanOrEqual(4);
      expect(Math.max(x, y)).toBeLessThan(inner);
    }
    expect(await qrCodeAsSvg(code).text()).toContain(code.path);
  });
});
