/**
 * Hot reload: Vite serves the web application on PORT and forwards server paths to the server on a free port, which restarts when its
 * files change.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { createServer } from 'vite';

const serverPaths = ['/api', '/.well-known', '/healthz', '/readyz', '/metrics'];

async function findFreePort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: free } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return free;
}

/** Runs both until the server ends, and returns the exit code. `server`: its script and parameters. */
export async function runDevelopmentServer(options: {
  directory: string;
  viteConfig: string;
  server: string[];
}): Promise<number> {
  const port = Number(process.env['PORT'] ?? 3000);
  const serverPort = await findFreePort();
  const target = `http://127.0.0.1:${serverPort}`;
  const vite = await createServer({
    configFile: options.viteConfig,
    server: {
      port,
      strictPort: true,
      host: 'localhost',
      proxy: Object.fromEntries(serverPaths.map((prefix) => [prefix, { target }])),
    },
  });

  try {
    await vite.listen();
  } catch (error) {
    console.error(
      `Port ${port} cannot be used (${(error as Error).message}). Stop the other program, or set PORT to a free port.`,
    );
    await vite.close();
    return 1;
  }

  const server = spawn(process.execPath, ['--watch', '--watch-preserve-output', ...options.server], {
    cwd: options.directory,
    stdio: 'inherit',
    env: {
      ...process.env,
      PORT: String(serverPort),
      PUBLIC_URL: process.env['PUBLIC_URL'] ?? `http://localhost:${port}`,
    },
  });

  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (stopping) return;
      stopping = true;
      server.kill('SIGTERM');
    });
  }

  const [code] = (await once(server, 'exit')) as [number | null];
  await vite.close();
  return stopping ? 0 : (code ?? 1);
}
