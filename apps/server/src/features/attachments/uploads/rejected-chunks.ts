/** Chunk sizes rejected by a proxy, as browsers report them in a header of the next chunk. State is per process. */
import type { IncomingHttpHeaders } from 'node:http';
import { rejectedChunkHeader } from '@vestibule/contract/attachments';
import { securityWarnings } from '@vestibule/contract/settings/security-warnings';
import { createMessage } from '@vestibule/contract/texts/text';
import type { Logger } from 'pino';

export type RejectedChunks = {
  inspect(headers: IncomingHttpHeaders): void;
  /** Smallest rejected size in bytes; null if none is known or a chunk of that size has arrived since. */
  smallest(): number | null;
};

export function createRejectedChunks(logger: Pick<Logger, 'warn'>): RejectedChunks {
  let smallest: number | null = null;
  let isLogged = false;
  return {
    inspect(headers) {
      const reported = headers[rejectedChunkHeader];
      // Chunks have at most 32 MB.
      if (typeof reported === 'string' && /^[1-9]\d{0,7}$/.test(reported)) {
        smallest = Math.min(Number(reported), smallest ?? Infinity);
        if (isLogged) return;
        isLogged = true;
        const { code, message } = createMessage(securityWarnings.proxyLimit, { size: smallest });
        logger.warn({ weakness: code }, message);
      } else if (smallest !== null && Number(headers['content-length'] ?? 0) >= smallest) smallest = null;
    },
    smallest: () => smallest,
  };
}
