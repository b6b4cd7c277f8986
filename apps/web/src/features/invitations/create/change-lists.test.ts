import { describe, expect, test } from 'vitest';
import { addFiles, rereadList, type UpdateLists } from './change-lists.ts';
import type { NamedList } from './invite-draft.ts';
import { UnusableFile } from '../../../lib/tables/file-text.ts';
import { plainList, type Columns, type List } from './import/list-columns.ts';

/** A draft with files whose parsing the test completes in any order. */
function createDraft() {
  let lists: NamedList[] = [];
  let problem = '';
  const pendingReads: PromiseWithResolvers<List>[] = [];
  const updateLists: UpdateLists = (update) => (lists = update(lists));
  const read = () => {
    const response = Promise.withResolvers<List>();
    pendingReads.push(response);
    return response.promise;
  };
  return {
    options: { updateLists, read, onProblem: (message: string) => (problem = message) },
    pendingRead: (index: number) => pendingReads[index]!,
    lists: () => lists,
    problem: () => problem,
  };
}

const file = (name: string) => new File(['…'], name);
const listOf = (email: string, columns: Columns = { email: 0 }): List => ({
  ...plainList([{ email, name: '' }]),
  titles: ['A', 'B', 'C'],
  columns,
});

describe('lists of a draft', () => {
  test('addFiles adds all files that are read concurrently (K2)', async () => {
    const draft = createDraft();
    const both = [addFiles([file('one.csv')], draft.options), addFiles([file('two.csv')], draft.options)];
    draft.pendingRead(1).resolve(listOf('two@example.com'));
    draft.pendingRead(0).resolve(listOf('one@example.com'));
    await Promise.all(both);
    expect(draft.lists().map(({ title }) => title)).toEqual(['two.csv', 'one.csv']);
  });

  test('a list removed while another list is read stays removed (K2)', async () => {
    const draft = createDraft();
    const first = addFiles([file('one.csv')], draft.options);
    draft.pendingRead(0).resolve(listOf('one@example.com'));
    await first;
    const second = addFiles([file('two.csv')], draft.options);
    draft.options.updateLists(() => []);
    draft.pendingRead(1).resolve(listOf('two@example.com'));
    await second;
    expect(draft.lists().map(({ title }) => title)).toEqual(['two.csv']);
  });

  test('the later of two column choices applies, even if reading the file for the earlier choice ends last (K2)', async () => {
    const draft = createDraft();
    const added = addFiles([file('one.csv')], draft.options);
    draft.pendingRead(0).resolve(listOf('one@example.com'));
    await added;
    const [early, late] = [{ columns: { email: 1 } }, { columns: { email: 1, name: 2 } }];
    const one = rereadList(firstOf(draft.lists()), early, draft.options);
    // The second choice is based on the first choice, whose reading has not finished.
    expect(draft.lists()[0]).toMatchObject({ columns: { email: 0 }, pendingChoices: early });
    const two = rereadList(firstOf(draft.lists()), late, draft.options);
    draft.pendingRead(2).resolve(listOf('late@example.com', late.columns));
    await two;
    draft.pendingRead(1).resolve(listOf('early@example.com', early.columns));
    await one;
    expect(draft.lists()).toMatchObject([
      { entries: [{ email: 'late@example.com' }], columns: late.columns },
    ]);
    expect(draft.lists()[0]?.pendingChoices).toBeUndefined();
  });

  test('a choice of columns that contain no recipients is reverted with a message (K2)', async () => {
    const draft = createDraft();
    const added = addFiles([file('one.csv')], draft.options);
    draft.pendingRead(0).resolve(listOf('one@example.com'));
    await added;
    const reread = rereadList(firstOf(draft.lists()), { columns: { email: 1 } }, draft.options);
    draft.pendingRead(1).reject(new UnusableFile('It contains no recipients.'));
    await reread;
    expect(draft.lists()).toMatchObject([{ entries: [{ email: 'one@example.com' }], columns: { email: 0 } }]);
    expect(draft.lists()[0]?.pendingChoices).toBeUndefined();
    expect(draft.problem()).toBe('one.csv: It contains no recipients.');
  });
});

function firstOf(lists: NamedList[]): NamedList {
  const list = lists.at(0);
  if (!list) throw new Error('There is no list.');
  return list;
}
