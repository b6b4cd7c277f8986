import { describe, expect, test } from 'vitest';
import { chooseByChange, chooseByWords } from './choose-tests.ts';

describe('chooseByWords', () => {
  const people = 'e2e/lists/people.spec.ts';
  const palette = 'e2e/app/palette.spec.ts';
  const files = [
    'apps/server/src/features/people/redeem.test.ts',
    'apps/server/src/features/people/redeem.ts',
    people,
    palette,
    'e2e/fixtures/site-test.ts',
  ];
  const choose = (...parameters: string[]) => chooseByWords(files, parameters);

  test.each([
    { parameters: ['people'], chosen: { unit: ['people'] } },
    { parameters: ['people/redeem', '-t', 'once'], chosen: { unit: ['people/redeem', '-t', 'once'] } },
    { parameters: ['e2e/people.spec.ts'], chosen: { journeys: [people] } },
    { parameters: ['e2e/lists/people'], chosen: { journeys: [people] } },
    { parameters: ['palette', '--debug'], chosen: { journeys: [palette, '--debug'] } },
    { parameters: ['e2e'], chosen: { journeys: [people, palette] } },
    { parameters: ['redeem', 'e2e/people'], chosen: { unit: ['redeem'], journeys: [people] } },
  ])('assigns $parameters to the right runner', ({ parameters, chosen }) => {
    expect(choose(...parameters)).toEqual(chosen);
  });

  test('throws for a word without a test and for options alone', () => {
    expect(() => choose('peopel')).toThrow('There is no test file whose path contains "peopel".');
    expect(() => choose('journey')).toThrow('no test file');
    expect(() => choose('-t', 'once')).toThrow('Name tests first');
  });
});

describe('chooseByChange', () => {
  const server = 'apps/server/src';
  const tree = new Map([
    [`${server}/app.ts`, "import './features/people/people.ts';\nimport './platform/clock.ts';\n"],
    [`${server}/test-app.ts`, "import { createApp } from './app.ts';\n"],
    [`${server}/platform/clock.ts`, ''],
    [`${server}/platform/http.test.ts`, "import { createTestApp } from '../test-app.ts';\n"],
    [`${server}/features/people/people.ts`, "import { listPeople } from '@vestibule/contract/people';\n"],
    [`${server}/features/people/people.test.ts`, "import { createTestApp } from '../../test-app.ts';\n"],
    [`${server}/features/mail/mail.test.ts`, "import { people } from '../people/people.ts';\n"],
    [`${server}/features/views/views.test.ts`, "import { createTestApp } from '../../test-app.ts';\n"],
    ['packages/contract/src/people.ts', ''],
    ['tools/checks/documents.test.ts', ''],
  ]);
  const people = [`${server}/features/mail/mail.test.ts`, `${server}/features/people/people.test.ts`];
  const ofServer = [...people, `${server}/features/views/views.test.ts`, `${server}/platform/http.test.ts`];

  test.each([
    {
      changed: `${server}/features/people/people.ts`,
      chosen: people,
      why: 'tests of its area and of importing files',
    },
    {
      changed: `${server}/platform/clock.ts`,
      chosen: ofServer.filter((file) => file !== people[0]),
      why: 'every application uses it',
    },
    {
      changed: 'packages/contract/src/people.ts',
      chosen: ofServer,
      why: 'the application imports it',
    },
    {
      changed: `${server}/features/views/views.test.ts`,
      chosen: [`${server}/features/views/views.test.ts`],
      why: 'the changed test',
    },
    {
      changed: 'docs/specification.md',
      chosen: ['tools/checks/documents.test.ts'],
      why: 'these tests read documents',
    },
    {
      changed: 'apps/server/migrations/020-more.sql',
      chosen: [...ofServer, 'tools/checks/documents.test.ts'],
      why: 'all tests',
    },
  ])('selects tests for $changed: $why', ({ changed, chosen }) => {
    expect(chooseByChange(tree, [changed])).toEqual(chosen);
  });

  test('selects nothing without changes', () => {
    expect(chooseByChange(tree, [])).toEqual([]);
  });
});
