/**
 * What a proxy in front of the site refuses. Nothing of that arrives here: browsers say it with the smaller piece that they send instead.
 * Each process knows what it was told itself.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { rejectedChunkHeader } from '@vestibule/contract/attachments';
import { securityWarnings } from '@vestibule/contract/settings/security-warnings';
import { createMessage } from '@vestibule/contract/texts/text';
import type { Logger } from 'pino';

export type RejectedChunks = {
  /** Reads what a request of somebody inside says of it. */
  look(headers: IncomingHttpHeaders): void;
  /** In bytes; null when none was refused, or one that large has come through since. */
  smallest(): number | null;
};

export function createRejectedChunks(logger: Pick<Logger, 'warn'>): RejectedChunks {
  let smallest: number | null = null;
  let isLogged = false;
  return {
    look(headers) {
      const said = headers[rejectedChunkHeader];
      // Browsers send 32 MB at most.
      if (typeof said === 'string' && /^[1-9]\d{0,7}$/.test(said)) {
        smallest = Math.min(Number(said), smallest ?? Infinity);
        if (isLogged) return;
        isLogged = true;
        const { code, message } = createMessage(securityWarnings.proxyLimit, { size: smallest });
        logger.warn({ weakness: code }, message);
      } else if (smallest !== null && Number(headers['content-length'] ?? 0) >= smallest) smallest = null;
    },
    smallest: () => smallest,
  };
}
