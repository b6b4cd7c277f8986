import { describe, expect, test } from 'vitest';
import { formatProblemRows } from './problem-rows.ts';
import { readTextFile } from '../import/test-list.ts';

const check = {
  row: 1,
  email: '',
  verdict: 'invalid',
  code: 'field.notAnAddress',
  message: 'Enter an e-mail address, such as name@example.com.',
  values: {},
  firstRow: null,
  looksLike: null,
  suggestion: null,
} as const;

const textOf = (bytes: Uint8Array) => new TextDecoder('utf-16le').decode(bytes);

describe('formatProblemRows', () => {
  test('returns a file that can be corrected and imported again (K2)', () => {
    const rows = [
      {
        id: 1,
        row: 1,
        out: false,
        email: 'anna.example.com',
        name: 'Berg, "Ann"\nAnna',
        role: 'admin',
        message: 'Hi',
        check,
      },
      { id: 2, row: 1, out: false, email: 'müller@', name: '', check },
    ];
    const bytes = formatProblemRows(rows);
    // Excel opens only UTF-16 with tabs in columns in every language.
    expect([...bytes.subarray(0, 2)]).toEqual([0xff, 0xfe]);
    expect(textOf(bytes)).toContain('\tEnter an e-mail address, such as name@example.com.\n');
    const { entries, notes } = readTextFile(bytes);
    expect(notes).toEqual([]);
    expect(entries).toEqual([
      { email: 'anna.example.com', name: 'Berg, "Ann" Anna', role: 'admin', message: 'Hi', row: 2 },
      { email: 'müller@', name: '', row: 3 },
    ]);
  });

  test.each(['=1+1', '+A1', '-A1', '@sum', 'a;=1'])('escapes the formula %j (security 43)', (name) => {
    const bytes = formatProblemRows([{ id: 1, row: 1, out: false, email: 'a', name, check }]);
    expect(textOf(bytes)).toContain(name.replace(/[=+@-]/, "'$&"));
  });
});
