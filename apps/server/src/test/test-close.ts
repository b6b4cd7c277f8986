import { afterAll } from 'vitest';

/** Closes an application or a site after the last test of the file. */
export function closeAfterTests<T extends { close: () => Promise<unknown> }>(created: T): T {
  afterAll(() => created.close());
  return created;
}
