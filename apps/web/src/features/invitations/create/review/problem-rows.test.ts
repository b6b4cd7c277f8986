import { describe, expect, test } from 'vitest';
import { problemRowsAsCsv } from './problem-rows.ts';
import { readTable } from '../import/table-entries.ts';

const check = {
  row: 1,
  email: '',
  verdict: 'invalid',
  code: 'field.notAnAddress',
  message: 'This is not an e-mail address.',
  values: {},
  firstRow: null,
  looksLike: null,
  suggestion: null,
} as const;

describe('problemRowsAsCsv', () => {
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
    const text = problemRowsAsCsv(rows);
    expect(text).toContain(',This is not an e-mail address.\r\n');
    const bytes = new TextEncoder().encode(text.replace('anna.example.com', 'anna@example.com'));
    expect(readTable(bytes, bytes.length).entries).toEqual([
      { email: 'anna@example.com', name: 'Berg, "Ann" Anna', role: 'admin', message: 'Hi', row: 2 },
      { email: 'müller@', name: '', row: 3 },
    ]);
  });

  test.each(['=1+1', '+A1', '-A1', '@sum', 'a;=1'])('escapes the formula %j (security 43)', (name) => {
    const text = problemRowsAsCsv([{ id: 1, row: 1, out: false, email: 'a', name, check }]);
    expect(text).toContain(name.replace(/[=+@-]/, "'$&"));
  });
});
