/** `npm run dev`: starts the product of the checkout with hot reload. */
import path from 'node:path';
import { runDevelopmentServer } from '../packages/cli/src/development-server.ts';
import { root } from './install.mjs';

process.exit(
  await runDevelopmentServer({
    directory: root,
    viteConfig: path.join(root, 'apps', 'web', 'vite.config.ts'),
    server: [path.join(root, 'apps', 'server', 'src', 'main.ts')],
    sources: ['apps/server', 'packages', 'extensions'].map((folder) => path.join(root, folder)),
  }),
);
