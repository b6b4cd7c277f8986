import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export const testPage = (status: string) =>
  `<!doctype html><title>Vestibule</title><main><svg class="brand-mark"><path/></svg><h1>Vestibule</h1><output class="login-status">${status}</output></main>`;

export function createWebDirectory(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'web-'));
  writeFileSync(path.join(directory, 'index.html'), testPage('Loading…'));
  writeFileSync(path.join(directory, 'index.de.html'), testPage('Wird geladen …'));
  return directory;
}
