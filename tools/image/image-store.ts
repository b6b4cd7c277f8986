/**
 * Builds the images of deploy/Dockerfile without an image registry: with buildah of Debian, on a base image made of Debian
 * packages and this Node.js under the name of the real one. Only for tests.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { root } from '../install.mjs';
import { run } from '../integration/run-program.ts';

type ImageConfig = {
  Env: string[];
  Entrypoint: string[];
  Cmd: string[];
  User: string;
  Healthcheck: { Test: string[] };
};

export type Target = 'production' | 'trial';
export type ImageStore = ReturnType<typeof openImageStore>;

const dockerfile = path.join(root, 'deploy', 'Dockerfile');
const authorities = '/etc/ssl/certs';

export function openImageStore(directory: string) {
  const temporary = path.join(directory, 'tmp');
  mkdirSync(temporary, { recursive: true });
  const place = ['--root', path.join(directory, 'store'), '--runroot', path.join(directory, 'run')];
  const buildah = (...parameters: string[]) =>
    run('buildah', [...place, '--storage-driver', 'vfs', ...parameters], { TMPDIR: temporary }).trim();
  const has = (image: string) =>
    buildah('images', '--format', '{{.Name}}:{{.Tag}}').split('\n').includes(image);

  const [, base = ''] = /^ARG NODE_IMAGE=(\S+)$/m.exec(readFileSync(dockerfile, 'utf8')) ?? [];

  /** Creates the base image: minimal Debian with Node.js, npm and the user of the real image. */
  function makeBase(): void {
    if (has(base)) return;
    const files = path.join(directory, 'base');
    const sources = run('sh', ['-c', 'cat /etc/apt/sources.list.d/* /etc/apt/sources.list 2>&1 || true']);
    const mirror = /^(?:URIs: |deb )(\S+)/m.exec(sources)?.[1] ?? '';
    run('debootstrap', ['--variant=minbase', 'bookworm', files, mirror].filter(Boolean));
    cpSync(process.execPath, path.join(files, 'usr/local/bin/node'));
    const npm = path.join(path.dirname(realpathSync(run('which', ['npm']).trim())), '..');
    cpSync(npm, path.join(files, 'usr/local/lib/node_modules/npm'), { recursive: true });
    symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', path.join(files, 'usr/local/bin/npm'));
    run('chroot', [files, 'useradd', '--uid', '1000', '--create-home', 'node']);
    const container = buildah('from', 'scratch');
    buildah('copy', container, files, '/');
    buildah('commit', '--rm', container, base);
    run('rm', ['-rf', files]);
  }

  function unpackImage(image: string, name: string): string {
    const note = path.join(directory, `unpacked-${name}`);
    if (existsSync(note)) return readFileSync(note, 'utf8');
    const files = buildah('mount', buildah('from', image));
    writeFileSync(note, files);
    return files;
  }

  return {
    base,

    /** Saves an image under a name to a file for `docker load`. */
    save(image: string, file: string, name: string): void {
      buildah('push', image, `docker-archive:${file}:${name}`);
    },

    build(target: Target): void {
      if (has(`localhost/vestibule:${target}`)) return;
      makeBase();
      const npmrc = path.join(directory, 'npmrc');
      const registry = run('npm', ['config', 'get', 'registry']).trim();
      writeFileSync(npmrc, `registry=${registry}\ncafile=${authorities}/ca-certificates.crt\n`);
      buildah(
        'bud',
        '--isolation',
        'chroot',
        '--format',
        'docker',
        '--pull-never',
        '--layers=false',
        '--volume',
        `${authorities}:${authorities}:ro`,
        '--volume',
        `${npmrc}:/root/.npmrc:ro`,
        '--file',
        dockerfile,
        '--target',
        target,
        '--tag',
        `vestibule:${target}`,
        root,
      );
    },

    inspect(target: Target): ImageConfig {
      const { Docker } = JSON.parse(buildah('inspect', '--type', 'image', `vestibule:${target}`)) as {
        Docker: { config: ImageConfig };
      };
      return Docker.config;
    },

    unpack: (target: Target) => unpackImage(`vestibule:${target}`, target),

    unpackBase: () => unpackImage(base, 'base'),
  };
}
