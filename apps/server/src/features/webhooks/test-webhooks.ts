/** Creates a site with a webhook receiver for tests. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createWebhook, type WebhookEvent } from '@vestibule/contract/webhooks';
import { Webhook as Verifier } from 'standardwebhooks';
import { createOutboundHttp } from '../../platform/http/outbound-http.ts';
import { createTestApp, testSecret, type TestApp, type TestPerson } from '../../test/test-app.ts';
import { createWebhookSender } from './send-webhooks.ts';

export type Received = {
  path: string;
  headers: Record<string, string>;
  body: string;
  payload: { type: string; timestamp: string; data: Record<string, Record<string, unknown>> };
};

type Receiver = (request: Received) => number | Promise<number>;

export type WebhookSite = Awaited<ReturnType<typeof createWebhookSite>>;

export async function createWebhookSite() {
  // Starts at the real time, since signatures are checked against the clock of the machine.
  let at = Date.now();
  const clock = { now: () => at, advance: (milliseconds: number) => void (at += milliseconds) };
  const t: TestApp = await createTestApp({ clock, environment: { WEBHOOKS_TO_PRIVATE_ADDRESSES: 'yes' } });
  const admin: TestPerson = await t.join('admin@example.com', 'admin');
  const received: Received[] = [];
  let receive: Receiver = () => 200;
  let retryAfter: string | null = null;
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const headers = request.headers as Record<string, string>;
    const delivery = {
      path: request.url as string,
      headers,
      body,
      payload: JSON.parse(body) as Received['payload'],
    };
    received.push(delivery);
    response
      .writeHead(await receive(delivery), retryAfter === null ? {} : { 'retry-after': retryAfter })
      .end('accepted');
  }
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const createSender = (outboundHttp = createOutboundHttp({ allowsPrivate: true })) =>
    createWebhookSender({
      ...t,
      now: t.clock.now,
      secret: testSecret,
      logger: t.app.log,
      httpOf: () => outboundHttp,
    });

  return {
    t,
    admin,
    /** Token of the administrator with a recent sign-in. */
    recentToken: () => t.mint({ sub: admin.subject, emails: [admin.email] }),
    received,
    createSender,
    /** `type` and object id of the messages received at `path`. */
    receivedEvents: (path = '/hook') =>
      received
        .filter((one) => one.path === path)
        .map(({ payload }) => [payload.type, Object.values(payload.data)[0]?.['id']]),
    /** `pause` is the value of Retry-After. */
    respondWith: (next: Receiver, pause: string | null = null) => {
      receive = next;
      retryAfter = pause;
    },
    async add(events: WebhookEvent[], path = '/hook') {
      const body = { url: `http://127.0.0.1:${port}${path}`, description: 'Payroll', events };
      const response = await t.callAs(admin, createWebhook, { body });
      if (response.status !== 200) throw new Error(`${response.text} ${t.log.at(-2)} ${t.log.at(-1)}`);
      return { ...response.body, params: { webhookId: response.body.webhook.id } };
    },
    async close() {
      server.close().closeAllConnections();
      await t.close();
    },
  };
}

/** Verifies a message with the official library; throws if the signature is invalid or old. */
export const verify = (secret: string, { body, headers }: Pick<Received, 'body' | 'headers'>) =>
  new Verifier(secret).verify(body, headers);
