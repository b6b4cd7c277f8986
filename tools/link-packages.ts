/** Links the installed packages into a copy of the checkout; workspace packages are those of the copy. */
import { mkdir, readdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { root } from './install.mjs';

export async function linkPackages(directory: string): Promise<void> {
  const packages = path.join(directory, 'node_modules');
  await mkdir(path.join(packages, '@vestibule'), { recursive: true });
  for (const name of await readdir(path.join(root, 'node_modules')))
    if (!name.startsWith('.') && name !== '@vestibule')
      await symlink(path.join(root, 'node_modules', name), path.join(packages, name), 'junction');
  for (const workspace of ['apps', 'packages'])
    for (const name of await readdir(path.join(directory, workspace)))
      await symlink(
        path.join(directory, workspace, name),
        path.join(packages, '@vestibule', name),
        'junction',
      );
}
