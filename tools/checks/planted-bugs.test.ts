import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { plantedBugs } from '../../bench/reliability/planted-bugs.ts';
import { root } from '../install.mjs';

test.each(Object.entries(plantedBugs))(
  'the planted bug %s replaces pieces that occur once in the source',
  (_name, { changes }) => {
    for (const { file, from } of changes) {
      const pieces = readFileSync(path.join(root, file), 'utf8').split(from);
      expect([file, from, pieces.length - 1]).toEqual([file, from, 1]);
    }
  },
);
