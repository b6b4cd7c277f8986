/**
 * TCP proxy between server and database that injects network faults: delays, resets, half-closed and silent connections. It also
 * cuts a connection before or right after COMMIT, when the client cannot know the outcome.
 */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const faults = [
  'delayed',
  'cut',
  'cut before COMMIT',
  'cut after COMMIT',
  'half-closed by the database',
  'half-closed by the server',
  'swallowed',
] as const;
type Fault = (typeof faults)[number];

type FaultProxy = {
  url: string;
  /** Whether new faults are injected. Silent connections stay silent. */
  isActive: boolean;
  counts: Record<Fault, number>;
  close(): void;
};

/** COMMIT as a simple query or in a Parse message (PostgreSQL manual, section 55.7). */
const commit = Buffer.from('commit\0');
/** Odds of a fault per chunk. COMMITs are rarer, so their odds are higher. */
const oddsOfFault = { piece: 60, commit: 12 };
const connectionFaults = faults.filter((fault) => !fault.endsWith('COMMIT'));

export async function startFaultProxy(databaseUrl: string): Promise<FaultProxy> {
  const target = new URL(databaseUrl);
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect({ host: target.hostname, port: Number(target.port), allowHalfOpen: true });
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', () => cut()).on('close', () => open.delete(socket));
    }
    const cut = () => {
      client.destroy();
      upstream.destroy();
    };
    let swallows = false;
    forward(client, upstream, async (piece) => {
      const fault = pick(piece);
      if (fault === 'cut before COMMIT') return inject(fault, cut);
      if (fault === 'cut after COMMIT') {
        // The database gets the COMMIT; the client never gets the response.
        client.destroy();
        upstream.end(piece);
        return inject(fault, () => {});
      }
      if (fault === 'cut') return inject(fault, cut);
      if (fault === 'half-closed by the server') return inject(fault, () => upstream.end());
      if (fault === 'swallowed') inject(fault, () => (swallows = true));
      if (fault === 'delayed') {
        inject(fault, () => {});
        await delay(200 + Math.random() * 2_000);
      }
      return !swallows;
    });
    forward(upstream, client, async (piece) => {
      const fault = pick(piece);
      if (fault === 'half-closed by the database') return inject(fault, () => client.end());
      if (fault === 'cut') return inject(fault, cut);
      return !swallows;
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);

  const proxy: FaultProxy = {
    url: url.href,
    isActive: false,
    counts: Object.fromEntries(faults.map((fault) => [fault, 0])) as Record<Fault, number>,
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
  return proxy;

  function pick(piece: Buffer): Fault | undefined {
    if (!proxy.isActive) return undefined;
    if (piece.includes(commit) && Math.random() < 1 / oddsOfFault.commit)
      return Math.random() < 0.5 ? 'cut before COMMIT' : 'cut after COMMIT';
    return Math.random() < 1 / oddsOfFault.piece
      ? connectionFaults[Math.floor(Math.random() * connectionFaults.length)]
      : undefined;
  }
  function inject(fault: Fault, act: () => unknown): false {
    proxy.counts[fault] += 1;
    act();
    return false;
  }
}

/** Forwards chunks in order unless `shouldForward` returns false, then the end. */
function forward(from: Socket, to: Socket, shouldForward: (piece: Buffer) => Promise<boolean>): void {
  let turn = Promise.resolve();
  const next = (work: () => unknown) => {
    turn = turn.then(async () => void (await work()));
  };
  from.on('data', (piece: Buffer) =>
    next(async () => {
      if ((await shouldForward(piece)) && to.writable) to.write(piece);
    }),
  );
  from.on('end', () => next(() => to.end()));
  from.on('close', () => next(() => to.destroy()));
}
