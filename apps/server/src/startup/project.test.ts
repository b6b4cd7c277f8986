import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readProject } from './project.ts';

test('a project has its extensions and its built web application in its directory', () => {
  const directory = tmpdir();
  const expected = {
    extensionsDirectory: path.join(directory, 'extensions'),
    webDirectory: path.join(directory, '.vestibule', 'web'),
    parameters: ['a.backup', '--with-files'],
  };
  expect(readProject(['a.backup', '--project', directory, '--with-files'])).toEqual(expected);
  expect(readProject([`--project=${directory}`, 'a.backup', '--with-files'])).toEqual(expected);
});

test('without a project, the directories are those of the checkout', () => {
  const { webDirectory, parameters } = readProject(['a.backup']);
  expect(webDirectory).toMatch(/apps.web.dist$/);
  expect(parameters).toEqual(['a.backup']);
});

test('a missing project directory is reported', () => {
  expect(() => readProject(['--project', path.join(tmpdir(), 'missing-project')])).toThrow(
    /^--project names .*missing-project, which is not a directory\.$/,
  );
});
