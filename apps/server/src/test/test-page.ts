/** A built page in two languages, with the elements of the login screen that the server fills. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export const testPage = (status: string) =>
  `<!doctype html><title>Vestibule</title><main><svg class="brand-mark"><path/></svg><h1>Vestibule</h1><output class="login-status">${status}</output></main>`;

/** Creates a directory with the page. */
export function createWebDirectory(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'web-'));
  writeFileSync(path.join(directory, 'index.html'), testPage('Opening the door…'));
  writeFileSync(path.join(directory, 'index.de.html'), testPage('Die Tür geht auf …'));
  return directory;
}
