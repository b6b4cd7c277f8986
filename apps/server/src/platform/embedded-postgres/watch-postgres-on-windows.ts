// Runs PostgreSQL on Windows until standard input closes; started by postgres-process.ts. Uses pg_ctl, which drops
// administrator rights, because PostgreSQL refuses them.
import { spawnSync } from 'node:child_process';

const [pgCtl = '', dataDirectory = '', ...options] = process.argv.slice(2);
const quoted = options.map((option) => `"${option}"`).join(' ');
const checkIntervalMs = 1_000;

const control = (...parameters: string[]): boolean =>
  spawnSync(pgCtl, [...parameters, '-D', dataDirectory], { stdio: ['ignore', 'inherit', 'inherit'] })
    .status === 0;

if (!control('start', '-w', '-o', quoted)) process.exit(1);
process.stdin.resume();
process.stdin.on('end', () => process.exit(control('stop', '-w', '-m', 'fast') ? 0 : 1));
setInterval(() => {
  if (!control('status')) process.exit(1);
}, checkIntervalMs);
