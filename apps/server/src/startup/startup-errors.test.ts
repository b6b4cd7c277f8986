import { expect, test } from 'vitest';
import { StartUpError } from '../platform/config/start-up-error.ts';
import { importDevelopmentService } from './startup-errors.ts';

test('importDevelopmentService throws a StartUpError if the part is not installed, and rethrows other errors (O5)', async () => {
  const missingPackage = '@vestibule/not-installed';
  const missing = importDevelopmentService(() => import(missingPackage), 'Set SMTP_URL.').catch(
    (error: unknown) => error,
  );
  expect(await missing).toEqual(new StartUpError('Set SMTP_URL.'));
  const broken = importDevelopmentService(() => Promise.reject(new SyntaxError('broken')), 'Set SMTP_URL.');
  await expect(broken).rejects.toThrow('broken');
  expect(await importDevelopmentService(async () => 'the part', 'Set SMTP_URL.')).toBe('the part');
});
