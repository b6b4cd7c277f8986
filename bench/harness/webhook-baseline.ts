/**
 * The floor that webhooks are held against, in a process of its own: as many messages at once as the server sends to one receiver, signed and
 * posted, without a database. `node post-ceiling.ts URL COUNT` prints the messages a second.
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
  data: { invitation: { id: 'of the size of a real one, which names it', email: 'told.0@example.com' } },
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
// Until it is stopped, as the others of the stage.
setInterval(() => {}, 60_000);
