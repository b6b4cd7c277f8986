/** Streamed responses: generated files and server-sent events. They end when the server stops. */
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';

export type StreamedResponse = {
  /** One of the route's media types. */
  type: string;
  /** File name for the download: ASCII, without quotes. */
  fileName?: string;
  /** Destroyed when the client disconnects. */
  body: Readable;
};

/** Creates the function that sends streams. Open streams end first when the server stops. */
export function createStreamSender(app: FastifyInstance) {
  const open = new Set<Readable>();
  app.decorate('endStreams', () => {
    for (const body of open) body.destroy();
  });
  return (reply: FastifyReply, { type, fileName, body }: StreamedResponse) => {
    open.add(body);
    body.once('close', () => open.delete(body));
    return (
      reply
        // HAProxy holds the end of an event back if it compresses the stream.
        .header('cache-control', type === 'text/event-stream' ? 'no-store, no-transform' : 'no-store')
        // A buffering proxy would delay events and store large files.
        .header('x-accel-buffering', 'no')
        .headers(
          fileName === undefined ? {} : { 'content-disposition': `attachment; filename="${fileName}"` },
        )
        .type(type)
        .send(body)
    );
  };
}

declare module 'fastify' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface adds to the library's
  interface FastifyInstance {
    endStreams?: () => void;
  }
}
