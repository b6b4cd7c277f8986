import { expect, test } from 'vitest';
import { closeAfterTests } from '../../test/test-close.ts';
import { startDnsServer, type DnsAnswer } from '../../test/test-dns-server.ts';
import { createTxtRecordFinder } from './txt-records.ts';

const responses: Record<string, DnsAnswer> = {
  'several.example': [['v=spf1 -all'], ['vestibule-', 'verification=1']],
  'quoted.example': [['"vestibule-', 'verification=1" ']],
  'empty.example': [],
  'broken.example': 'failure',
  'slow.example': 'silence',
};
const server = closeAfterTests(await startDnsServer((name) => responses[name] ?? 'no such name'));
const find = createTxtRecordFinder([server.address]);

test('several records are returned, and the parts of a long one joined', async () => {
  expect((await find('several.example'))?.toSorted()).toEqual(['v=spf1 -all', 'vestibule-verification=1']);
});

test('quotation marks and spaces around a value are removed', async () => {
  expect(await find('quoted.example')).toEqual(['vestibule-verification=1']);
});

test.each(['empty.example', 'unknown.example'])('%s has no records', async (name) => {
  expect(await find(name)).toEqual([]);
});

test('a failure of the server is not taken for a missing record', async () => {
  expect(await find('broken.example')).toBeNull();
});

test('a server that does not answer is not taken for a missing record', { timeout: 20_000 }, async () => {
  expect(await find('slow.example')).toBeNull();
});
