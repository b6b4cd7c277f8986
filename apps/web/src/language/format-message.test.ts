import { createCompiledCatalog } from '@lingui/cli/api';
import { i18n, type Messages } from '@lingui/core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { formatServerValues } from './server-values.ts';
import { formatMessage, setValueFormatter } from './format-message.ts';

const german = {
  'person.changed':
    '{actor} hat {role, select, admin {den Administrator} other {das Mitglied}} {email} geändert.',
  'upload.refused': '{size} von {sizeLimit}, seit {day}, zuletzt {time}: {count} Versuche.',
};

beforeEach(() => {
  vi.stubGlobal('navigator', { languages: ['de-DE'] });
  const { source } = createCompiledCatalog('de', german, { namespace: 'json' });
  const { messages } = JSON.parse(source) as { messages: Messages };
  i18n.loadAndActivate({ locale: 'de', messages });
  setValueFormatter(formatServerValues);
});
afterEach(() => {
  vi.unstubAllGlobals();
  i18n.loadAndActivate({ locale: 'en', messages: {} });
});

test("formatMessage translates a server message into the reader's language", () => {
  const values = { actor: 'boss@x.de', email: 'ann@x.de', role: 'admin' };
  expect(formatMessage({ code: 'person.changed', message: 'boss@x.de has changed …', values })).toBe(
    'boss@x.de hat den Administrator ann@x.de geändert.',
  );
});

test("formatMessage formats days, sizes and numbers in the reader's language", () => {
  const values = {
    size: 1_572_864,
    sizeLimit: 1_048_576,
    day: '2026-11-28T12:00:00Z',
    time: '2026-11-28T12:00:00Z',
    count: 1234,
  };
  expect(formatMessage({ code: 'upload.refused', message: '', values })).toMatch(
    /^1,5 MB von 1 MB, seit 28\. November 2026, zuletzt 28\.11\.2026, \d\d:00: 1\.234 Versuche\.$/,
  );
});

test("formatMessage returns the server's English for an unknown code", () => {
  const text = { code: 'person.levitating', message: 'Wait until they have come down.' };
  expect(formatMessage(text)).toBe('Wait until they have come down.');
});
