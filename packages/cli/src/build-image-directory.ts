/**
 * `vestibule build [DIRECTORY]`: writes a directory (default: dist) with everything that the portal needs in production: packages, extensions,
 * the built web application, and a Dockerfile. Node.js 24 runs it without a container too. Development parts are omitted, so it needs
 * DATABASE_URL and the other settings of docs/configuration.md.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { serverFlags } from '@vestibule/server/server-flags';
import type { Portal } from './project.ts';

const notInProduction = /\.(?:test|journey)\.ts$|\.tsx$|\.css$|^locales$/;

/** Uploaded files and the secret of a run without a container. A new build keeps them. */
const dataDirectory = '.data';

/** A portal has `.vestibule` too, but also a lock file. */
const isBuild = (directory: string) =>
  existsSync(path.join(directory, '.vestibule')) && !existsSync(path.join(directory, 'package-lock.json'));

/** Throws an Error if the directory has other files than those of an earlier build. */
export function buildImageDirectory(
  { directory, extensions, builtWeb }: Portal,
  [name = 'dist']: string[],
): Promise<number> {
  const target = path.resolve(directory, name);
  const earlier = existsSync(target) ? readdirSync(target) : [];
  if (earlier.length > 0 && !isBuild(target))
    throw new Error(`${name} is not a directory of an earlier build. Name a new one: npm run build -- dist`);
  for (const entry of earlier)
    if (entry !== dataDirectory) rmSync(path.join(target, entry), { recursive: true });
  mkdirSync(target, { recursive: true });
  for (const packageDirectory of listProductionPackages(directory))
    copyPackage(directory, packageDirectory, target);
  cpSync(extensions, path.join(target, 'extensions'), {
    recursive: true,
    filter: (file) => !notInProduction.test(path.basename(file)),
  });
  cpSync(builtWeb, path.join(target, '.vestibule', 'web'), { recursive: true });
  cpSync(path.join(directory, 'package.json'), path.join(target, 'package.json'));
  writeFileSync(path.join(target, 'Dockerfile'), dockerfile());
  writeFileSync(path.join(target, '.dockerignore'), `${dataDirectory}\n`);
  const shown = path.relative(directory, target) || '.';
  console.log(`${shown} is ready. Build an image of it:  docker build --tag my-portal ${shown}
Or run it with Node.js 24:  cd ${shown} && node ${command.join(' ')}
Both need DATABASE_URL, SMTP_URL, SECRET and a sign-in method; docs/run-it.md of Vestibule describes them.`);
  return Promise.resolve(0);
}

const command = [...serverFlags, 'node_modules/@vestibule/server/src/main.js', '--project', '.'];

type Flag = 'dev' | 'optional' | 'devOptional' | 'extraneous';
type Lock = { packages: Record<string, Partial<Record<Flag, true>>> };

/** Returns the directories of the installed packages that production needs. */
function listProductionPackages(directory: string): string[] {
  const lock = JSON.parse(readFileSync(path.join(directory, 'package-lock.json'), 'utf8')) as Lock;
  return Object.entries(lock.packages)
    .filter(
      ([, { dev, optional, devOptional, extraneous }]) => !dev && !optional && !devOptional && !extraneous,
    )
    .map(([place]) => path.join(directory, place))
    .filter((place) => place !== directory && existsSync(place));
}

/** Copies a package without the packages below it, which are listed separately, and without declarations. */
function copyPackage(directory: string, packageDirectory: string, target: string): void {
  cpSync(packageDirectory, path.join(target, path.relative(directory, packageDirectory)), {
    recursive: true,
    filter: (file) => {
      const within = path.relative(packageDirectory, file);
      return !within.split(path.sep).includes('node_modules') && !/\.d\.[cm]?ts$|\.map$/.test(file);
    },
  });
}

const dockerfile = () => `ARG NODE_IMAGE=docker.io/library/node:24-bookworm-slim
FROM \${NODE_IMAGE}
WORKDIR /app
COPY . .
RUN mkdir /data && chown 1000:1000 /data
ENV HOST=0.0.0.0 DATA_DIR=/data NODE_ENV=production
USER 1000:1000
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ${JSON.stringify(['node', ...command])}
`;
