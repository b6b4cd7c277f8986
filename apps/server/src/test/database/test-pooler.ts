/** Pooler in transaction mode. Like PgBouncer, it rejects connection parameters that it cannot track per client. */
import net from 'node:net';
import pg from 'pg';

type Backend = { socket: net.Socket; client: net.Socket | undefined };

/** `url` is the database through the pooler; `backends` is the number of connections. */
export async function startPooler(
  databaseUrl: string,
  backends = 1,
): Promise<{ url: string; close(): Promise<void> }> {
  const clients = new Set<net.Socket>();
  const queued: [net.Socket, Buffer][] = [];
  const pool = await Promise.all(Array.from({ length: backends }, () => connectBackend(databaseUrl)));
  for (const backend of pool)
    backend.socket.on('data', (bytes) => {
      backend.client?.write(bytes);
      // ReadyForQuery, outside of a transaction.
      if (bytes.at(-6) !== 0x5a || bytes.at(-1) !== 0x49) return;
      backend.client = undefined;
      pool.push(...pool.splice(pool.indexOf(backend), 1));
      for (const [client, message] of queued.splice(0)) forward(client, message);
    });

  function forward(client: net.Socket, bytes: Buffer): void {
    const backend =
      pool.find((candidate) => candidate.client === client) ??
      pool.find((candidate) => candidate.client === undefined);
    if (!backend) return void queued.push([client, bytes]);
    backend.client = client;
    backend.socket.write(bytes);
  }

  const listener = net.createServer((client) => {
    clients.add(client);
    client.on('error', () => {});
    client.on('close', () => clients.delete(client));
    let isConnected = false;
    client.on('data', (bytes) => {
      if (!isConnected) {
        isConnected = true;
        const refused = parametersOf(bytes).find((name) => !allowedParameters.has(name));
        if (refused !== undefined) {
          const fields = `SFATAL\0C08P01\0Munsupported startup parameter: ${refused}\0\0`;
          const head = Buffer.from([0x45, 0, 0, 0, fields.length + 4]);
          client.end(Buffer.concat([head, Buffer.from(fields)]));
          return;
        }
        // AuthenticationOk and ReadyForQuery.
        client.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]));
        return;
      }
      // Terminate ends only the client's connection to the pooler.
      if (bytes[0] !== 0x58) forward(client, bytes);
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((listener.address() as net.AddressInfo).port);
  return {
    url: url.href,
    async close() {
      for (const client of clients) client.destroy();
      for (const { socket } of pool) socket.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

async function connectBackend(databaseUrl: string): Promise<Backend> {
  const databaseClient = new pg.Client({ connectionString: databaseUrl });
  await databaseClient.connect();
  const { stream: socket } = (databaseClient as unknown as { connection: { stream: net.Socket } }).connection;
  socket.removeAllListeners();
  socket.on('error', () => {});
  return { socket, client: undefined };
}

const allowedParameters = new Set(['user', 'database', 'client_encoding', 'application_name']);

/** Returns the parameter names of a StartupMessage (PostgreSQL manual, "Message Formats"). */
function parametersOf(message: Buffer): string[] {
  const namesAndValues = message.toString('utf8', 8).split('\0');
  return namesAndValues.filter((name, index) => index % 2 === 0 && name !== '');
}
