import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * Forwards to the database, or keeps the connections open and forwards nothing. With `database`, connections use
 * another database of the server, whose name must have the same length.
 */
export async function startProxy(url: string, database?: string) {
  const { port, hostname, pathname } = new URL(url);
  const sockets = new Set<Socket>();
  let isForwarding = true;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    const redirect = (data: Buffer) =>
      database === undefined
        ? data
        : Buffer.from(data.toString('latin1').replace(pathname.slice(1), database), 'latin1');
    client.on('data', (data) => isForwarding && upstream.write(redirect(data)));
    upstream.on('data', (data) => isForwarding && client.write(data));
    for (const [socket, other] of [[client, upstream] as const, [upstream, client] as const]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => other.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxied = new URL(url);
  proxied.port = String((server.address() as AddressInfo).port);
  return {
    url: proxied.href,
    host: proxied.host,
    dropPackets: () => (isForwarding = false),
    forwardPackets: () => (isForwarding = true),
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
