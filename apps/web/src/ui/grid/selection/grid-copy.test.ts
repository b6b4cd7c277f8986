import { describe, expect, test } from 'vitest';
import type { GridColumn } from '../columns/grid-column.ts';
import { rowsAsText } from './grid-copy.ts';

describe('rowsAsText', () => {
  test('separates cells by tabs, quotes special characters and escapes formulas (J2, security 43)', () => {
    const columns: GridColumn<[string, number | null]>[] = [
      { id: 'name', title: 'Name', kind: 'text', text: ([name]) => name },
      { id: 'count', title: 'Count', kind: 'number', number: ([, count]) => count },
    ];
    const rows: [string, number | null][] = [
      ['plain', 1],
      ['a\tb', null],
      ['say "hi"\nto all', 3],
      ['=1+1', -2],
    ];
    expect(rowsAsText(columns, rows)).toBe('plain\t1\n"a\tb"\t\n"say ""hi""\nto all"\t3\n\'=1+1\t-2');
  });
});
