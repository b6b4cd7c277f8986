import { expect, test } from 'vitest';
import { StartUpError } from '../platform/config/start-up-error.ts';
import { developmentPart } from './development-services.ts';

test('developmentPart throws a StartUpError if the part is not installed, and rethrows other errors (O5)', async () => {
  const missingPackage = '@vestibule/not-installed';
  const missing = developmentPart(() => import(missingPackage), 'Set SMTP_URL.').catch(
    (error: unknown) => error,
  );
  expect(await missing).toEqual(new StartUpError('Set SMTP_URL.'));
  const broken = developmentPart(() => Promise.reject(new SyntaxError('broken')), 'Set SMTP_URL.');
  await expect(broken).rejects.toThrow('broken');
  expect(await developmentPart(async () => 'the part', 'Set SMTP_URL.')).toBe('the part');
});
