/**
 * Containers like `docker run --read-only --tmpfs /tmp`, made with Linux namespaces: read-only image files, own processes, the
 * user of the image and none of the environment of this machine. Uses the network of the machine.
 */
import { spawnSync } from 'node:child_process';
import { chownSync, cpSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { run, startProgram } from '../integration/run-program.ts';
import type { ImageStore, Target } from './image-store.ts';

const stopTimeoutMs = 25_000;

/** Environment, and host directories by their mount points in the container. */
type Given = { env: Record<string, string>; volumes?: Record<string, string> };

/**
 * Prepares the mounts, then runs the command of the container. Parameters: files, user, pairs of mount point and directory, `--`, command.
 */
const script = `
set -e
PATH=/usr/sbin:/usr/bin:/sbin:/bin
files=$1 user=$2; shift 2
mount --make-rprivate /
mount --bind "$files" "$files"
mount --rbind /dev "$files/dev"
mount -t proc proc "$files/proc"
mount -t tmpfs -o mode=1777 tmpfs "$files/tmp"
while [ "$1" != -- ]; do mount --bind "$2" "$files$1"; shift 2; done; shift
mount -o remount,bind,ro "$files"
exec env -i "$@"
`;

export function createContainers(store: ImageStore, target: Target) {
  const files = store.unpack(target);
  const config = store.inspect(target);
  // Docker adds these to every container.
  for (const name of ['proc', 'dev']) mkdirSync(path.join(files, name), { recursive: true });
  for (const name of ['hosts', 'resolv.conf']) cpSync(`/etc/${name}`, path.join(files, 'etc', name));

  function parameters(command: string[], { env, volumes = {} }: Given): string[] {
    const [uid = 0, gid = 0] = config.User.split(':').map(Number);
    for (const directory of Object.values(volumes)) {
      mkdirSync(directory, { recursive: true });
      chownSync(directory, uid, gid);
    }
    const namespaces = ['--mount', '--pid', '--fork', '--kill-child'];
    const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const chroot = ['/usr/sbin/chroot', `--userspec=${config.User}`, files, ...config.Entrypoint, ...command];
    return [
      ...namespaces,
      'sh',
      '-c',
      script,
      'sh',
      files,
      config.User,
      ...Object.entries(volumes).flat(),
      '--',
      ...config.Env,
      ...settings,
      ...chroot,
    ];
  }

  return {
    config,
    files,

    async start(given: Given) {
      const startedAt = performance.now();
      const program = await startProgram('unshare', parameters(config.Cmd, given), (output) =>
        output.includes(' is ready: '),
      );
      const readyAfterMs = performance.now() - startedAt;
      const processId = Number(run('pgrep', ['-P', String(program.pid)]));
      return {
        readyAfterMs,
        /** Process id of the first process, as seen by this machine. */
        processId,
        output: program.output,
        /** Stops like `docker stop`, or `docker kill` with SIGKILL. Returns the milliseconds it took. */
        async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number> {
          const endedAt = performance.now();
          if (program.hasEnded()) return 0;
          process.kill(processId, signal);
          if (!(await Promise.race([program.exited, delay(stopTimeoutMs)]))) await program.end('SIGKILL');
          return performance.now() - endedAt;
        },
      };
    },

    run(command: string[], given: Given): { code: number | null; output: string } {
      const { status, stdout, stderr } = spawnSync('unshare', parameters(command, given), {
        encoding: 'utf8',
      });
      return { code: status, output: stdout + stderr };
    },
  };
}
