/** Real applications for the test of forward authentication: Radicale (Debian) and Node-RED (npm). */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { startChild } from '../../../bench/harness/process.ts';
import { answers, run } from '../fixture.ts';

const nodeRed = 'node-red@5.0.7';

/** Starts Radicale, which reads the user from the header X-Remote-User. */
export async function startRadicale(cleanup: AsyncDisposableStack, directory: string, port: number) {
  const file = path.join(directory, 'radicale.conf');
  writeFileSync(
    file,
    `[server]
hosts = 127.0.0.1:${port}
[auth]
type = http_x_remote_user
[storage]
filesystem_folder = ${path.join(directory, 'calendars')}
`,
  );
  const radicale = await startChild('radicale', ['--config', file], () => answers(port));
  cleanup.defer(async () => void (await radicale.stop()));
}

/** HTTP and WebSocket addresses of Node-RED: /headers returns the received headers, /upload the size of the body, /echo the messages. */
const flows = [
  { id: 'tab', type: 'tab', label: 'Test' },
  ...['get', 'post'].map((method) => ({
    id: `in-${method}`,
    type: 'http in',
    z: 'tab',
    url: '/headers',
    method,
    wires: [['headers']],
  })),
  {
    id: 'headers',
    type: 'function',
    z: 'tab',
    func: 'msg.payload = { method: msg.req.method, received: msg.req.rawHeaders }; return msg;',
    outputs: 1,
    wires: [['out']],
  },
  { id: 'in-upload', type: 'http in', z: 'tab', url: '/upload', method: 'put', wires: [['size']] },
  {
    id: 'size',
    type: 'function',
    z: 'tab',
    func: 'msg.payload = { bytes: msg.payload.length }; return msg;',
    outputs: 1,
    wires: [['out']],
  },
  { id: 'out', type: 'http response', z: 'tab', wires: [] },
  { id: 'listener', type: 'websocket-listener', path: '/echo', wholemsg: 'false' },
  { id: 'in-echo', type: 'websocket in', z: 'tab', server: 'listener', client: '', wires: [['out-echo']] },
  { id: 'out-echo', type: 'websocket out', z: 'tab', server: 'listener', client: '', wires: [] },
];

/** Installs Node-RED from npm and starts it with its editor and the flows of the test. */
export async function startNodeRed(cleanup: AsyncDisposableStack, directory: string, port: number) {
  const folder = path.join(directory, 'node-red');
  mkdirSync(folder);
  run('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '--no-save', nodeRed]);
  writeFileSync(path.join(folder, 'flows.json'), JSON.stringify(flows));
  writeFileSync(
    path.join(folder, 'settings.cjs'),
    `module.exports = {
  uiHost: '127.0.0.1', uiPort: ${port}, flowFile: 'flows.json', apiMaxLength: '200mb', telemetry: { enabled: false },
  logging: { console: { level: 'warn' } }, credentialSecret: false,
};`,
  );
  const program = path.join(folder, 'node_modules/node-red/red.js');
  const parameters = [program, '--userDir', folder, '--settings', path.join(folder, 'settings.cjs')];
  const started = await startChild(process.execPath, parameters, async () => {
    const response = await fetch(`http://127.0.0.1:${port}/headers`).catch(() => null);
    return response?.status === 200;
  });
  cleanup.defer(async () => void (await started.stop()));
}
