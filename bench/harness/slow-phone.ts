import type { BrowserContext, BrowserContextOptions, Page } from '@playwright/test';

export const phoneScreen: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  isMobile: true,
};

const bytesPerKilobit = 1000 / 8;

/** Emulates a slow phone: 4× slower processor, 1.6 Mbit/s down, 750 kbit/s up, 150 ms round trip. */
export async function slowDown(context: BrowserContext, page: Page): Promise<void> {
  const devtools = await context.newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 150,
    downloadThroughput: 1600 * bytesPerKilobit,
    uploadThroughput: 750 * bytesPerKilobit,
  });
}
