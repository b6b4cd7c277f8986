/**
 * Known bugs that the reliability tests have to detect. Each replaces a piece of source in a copy of the project. Throws if the
 * source no longer contains the piece.
 */
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root } from '../harness/child-process.ts';

type Bug = {
  what: string;
  /** Part of the reliability tests, and the name of its figure that has to miss its limit. */
  part: string;
  reportedAs: RegExp;
  changes: { file: string; from: string; to: string }[];
};

export const plantedBugs: Record<string, Bug> = {
  'lost-mail': {
    what: 'a mail counts as sent before the mail server has taken it',
    part: 'killServer',
    reportedAs: /whose mail never arrives/,
    changes: [
      {
        file: 'apps/server/src/platform/mail/mail-queue.ts',
        from: 'await send(mail, `<${job.id}@${messageHost}>`);',
        to: 'void send(mail, `<${job.id}@${messageHost}>`).catch(() => {});',
      },
    ],
  },
  'double-redemption': {
    what: 'an invitation is redeemed whatever its status, and an address may be that of several people',
    part: 'redeem',
    reportedAs: /not exactly one success/,
    changes: [
      {
        file: 'apps/server/src/features/invitations/invitation-store.ts',
        from: `where email_canonical = "emailCanonical" and \${openAt('$2')}`,
        to: 'where email_canonical = "emailCanonical" and expires_at > $2',
      },
      {
        file: 'apps/server/migrations/001-front-door.sql',
        from: 'create unique index people_email_canonical on people',
        to: 'create index people_email_canonical on people',
      },
    ],
  },
};

/** Creates a copy of the project with the bug; `remove` deletes it. */
export async function plant(name: string): Promise<{ bug: Bug; copy: string; remove: () => Promise<void> }> {
  const bug = plantedBugs[name];
  if (!bug)
    throw new Error(`There is no bug called ${name}. There are: ${Object.keys(plantedBugs).join(', ')}.`);
  const copy = await mkdtemp(path.join(tmpdir(), 'vestibule-planted-'));
  const remove = () => rm(copy, { recursive: true, force: true });
  try {
    for (const part of [
      'apps/server/src',
      'apps/server/migrations',
      'apps/server/package.json',
      'package.json',
    ])
      await cp(path.join(root, part), path.join(copy, part), { recursive: true });
    await symlink(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
    for (const { file, from, to } of bug.changes) {
      const source = await readFile(path.join(copy, file), 'utf8');
      if (source.split(from).length !== 2) throw new Error(`${file} does not hold once: ${from}`);
      await writeFile(
        path.join(copy, file),
        source.replace(from, () => to),
      );
    }
    return { bug, copy, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
