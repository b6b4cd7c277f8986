/** Test receiver of traces: OTLP over HTTP with JSON, like a collector. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

type Value = { stringValue?: string; intValue?: string };
type Attribute = { key: string; value: Value };
export type ReceivedSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attribute[];
  status: { code?: number };
};
type Export = {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: ReceivedSpan[] }[] }[];
};

/** `respond` sends the response; by default every request is accepted. */
export async function startReceiver(
  respond: (response: ServerResponse) => void = (response) => void response.end('{}'),
) {
  const requests: { path: string; headers: IncomingHttpHeaders; body: Export }[] = [];
  const receiver = {
    respond,
    address: '',
    requests,
    spans: () =>
      requests.flatMap(({ body }) =>
        body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      ),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await json(request)) as Export;
    requests.push({ path: request.url ?? '', headers: request.headers, body });
    receiver.respond(response);
  }
  const server = createServer((request, response) => {
    void receive(request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  receiver.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return receiver;
}

/** Attributes by their names. */
export function attributesOf(list: Attribute[]): Record<string, string> {
  return Object.fromEntries(
    list.map(({ key, value }) => [key, value.stringValue ?? `${value.intValue} (number)`]),
  );
}
