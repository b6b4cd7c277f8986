/** Answers that are not JSON but a stream: files made while they are sent, and events. They end when the server stops. */
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';

export type StreamedAnswer = {
  /** The media type, one of those the route names. */
  type: string;
  /** Under this name a browser saves it: ASCII, without quotes. */
  fileName?: string;
  /** Destroyed when the client goes away. */
  body: Readable;
};

/** Gives the function that sends streams. Those still open when the server stops end before it waits for anybody. */
export function createStreamSender(app: FastifyInstance) {
  const open = new Set<Readable>();
  app.decorate('endStreams', () => {
    for (const body of open) body.destroy();
  });
  return (reply: FastifyReply, { type, fileName, body }: StreamedAnswer) => {
    open.add(body);
    body.once('close', () => open.delete(body));
    return (
      reply
        .header('cache-control', 'no-store')
        // A proxy that collects the answer first would hold events back, and fill up with a large file.
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
