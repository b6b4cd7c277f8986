/**
 * Hot reload: Vite serves the web application on PORT and forwards server paths to the server on a free port, which restarts when its
 * files change. A server that fails starts again after the next change.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { createServer, type Plugin } from 'vite';

const serverPaths = ['/api', '/.well-known', '/healthz', '/readyz', '/metrics'];

/** Folders that the server or the build writes. */
const generatedFolders = ['**/.data/**', '**/.vestibule/**', '**/dist/**'];

async function findFreePort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: free } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return free;
}

/** Returns whether the server uses such a file: a module, a migration or data, but no screen, test or declaration. */
export function isServerFile(file: string): boolean {
  return /\.(?:m?[jt]s|sql|json)$/.test(file) && !/\.(?:test|journey|gen|d)\.ts$/.test(file);
}

/** Runs both until a signal stops them, then exits. Returns the exit code if the port is in use. `server`: its script and parameters; `sources`: watched folders. */
export async function runDevelopmentServer(options: {
  directory: string;
  viteConfig: string;
  server: string[];
  sources: string[];
}): Promise<number> {
  const port = Number(process.env['PORT'] ?? 3000);
  const serverPort = await findFreePort();
  const target = `http://127.0.0.1:${serverPort}`;
  const inSources = (file: string) => options.sources.some((folder) => file.startsWith(folder + path.sep));
  let changed = Promise.withResolvers<void>();
  // As a plugin, because Vite replaces its watcher when it restarts.
  const watchServer: Plugin = {
    name: 'watch-server',
    configureServer({ watcher }) {
      watcher.add(options.sources);
      watcher.on('all', (_event, file) => {
        if (inSources(path.resolve(file)) && isServerFile(file)) changed.resolve();
      });
    },
  };
  const vite = await createServer({
    configFile: options.viteConfig,
    plugins: [watchServer],
    server: {
      port,
      strictPort: true,
      host: 'localhost',
      proxy: Object.fromEntries(serverPaths.map((prefix) => [prefix, { target }])),
      watch: { ignored: generatedFolders },
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

  const stopped = new AbortController();
  const untilStopped = once(stopped.signal, 'abort');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopped.abort());
  // npm runs other commands in a shell, which may exit without forwarding a signal.
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && stopped.abort(), 1_000);

  // The addresses of the provider and the mailbox are those of `vestibule start`.
  const neighbor = (step: number) => String(port + (port > 65_000 ? -step : step));
  const env = {
    PUBLIC_URL: `http://localhost:${port}`,
    IDP_PORT: neighbor(1),
    MAILBOX_PORT: neighbor(2),
    // The mails outlive restarts of the server.
    MAILBOX_DIRECTORY: path.join(process.env['DATA_DIR'] ?? '.data', 'mailbox'),
    ...process.env,
    PORT: String(serverPort),
  };
  while (!stopped.signal.aborted) {
    changed = Promise.withResolvers();
    const server = spawn(process.execPath, options.server, {
      cwd: options.directory,
      stdio: 'inherit',
      env,
    });
    const exited = once(server, 'exit');
    await Promise.race([exited, changed.promise, untilStopped]);
    if (server.exitCode === null && server.signalCode === null) server.kill('SIGTERM');
    else if (!stopped.signal.aborted) {
      console.error('The server has stopped. It starts again after the next change of its files.');
      await Promise.race([changed.promise, untilStopped]);
    }
    await exited;
  }
  // Not `vite.close()`: if Vite is restarting, for example for an added extension, it would keep the process running.
  return process.exit();
}
