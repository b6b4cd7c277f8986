/**
 * Baseline for webhooks: signs and posts as many messages concurrently as the server does, without a database. `node
 * webhook-baseline.ts URL COUNT` prints the messages per second.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';

const [url = '', count = '0'] = process.argv.slice(2);
/** As in apps/server/src/features/webhooks/claim-messages.ts. */
const concurrency = 25;
const agent = new Agent({ keepAlive: true });
const key = randomBytes(32);
const body = JSON.stringify({
  type: 'invitation.created',
  timestamp: new Date().toISOString(),
  data: { invitation: { id: 'as long as a real id of an invitation', email: 'webhook.0@example.com' } },
});

async function post(id: number): Promise<void> {
  const timestamp = Math.floor(Date.now() / 1000);
  const signature = createHmac('sha256', key).update(`msg_${id}.${timestamp}.${body}`).digest('base64');
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'webhook-id': `msg_${id}`,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
  await new Promise((resolve, reject) => {
    request(url, { method: 'POST', agent, headers }, (answer) => answer.resume().on('end', resolve))
      .on('error', reject)
      .end(body);
  });
}

let next = 0;
const postMessages = async () => {
  while (next < Number(count)) await post((next += 1));
};
const startedAt = performance.now();
await Promise.all(Array.from({ length: concurrency }, postMessages));
console.log(`${Number(count) / ((performance.now() - startedAt) / 1000)} messages a second`);
// Keep running until stopped by the parent.
setInterval(() => {}, 60_000);
