import { expect, test } from 'vitest';
import { defineTexts, createMessage } from './text.ts';

const texts = defineTexts('example', {
  late: 'Due on {day}, now {time}: {size} for {who}, {count} times.',
  plain: 'Nothing to fill.',
});

test('createMessage returns the English text with its code and values', () => {
  const values = {
    day: '2026-11-28T23:30:00Z',
    time: '2026-11-29T08:05:09Z',
    size: 1_572_864,
    who: 'Ann',
    count: 1234,
  };
  expect(createMessage(texts.late, values)).toEqual({
    code: 'example.late',
    message: 'Due on 28 November 2026, now 2026-11-29 08:05 UTC: 1.5 MB for Ann, 1234 times.',
    values,
  });
  expect(createMessage(texts.plain)).toEqual({
    code: 'example.plain',
    message: 'Nothing to fill.',
    values: {},
  });
});

test('createMessage formats the expiry of a link with time and time zone', () => {
  const { link } = defineTexts('link', { link: 'It works until {until}.' });
  expect(createMessage(link, { until: '2026-11-28T00:28:59Z' }).message).toBe(
    'It works until 28 November 2026 at 00:28 UTC.',
  );
});

test('createMessage does not replace placeholders inside values', () => {
  const { message } = createMessage(texts.late, {
    day: '2026-11-28',
    time: '',
    size: 0,
    who: '{count} $&',
    count: 2,
  });
  expect(message).toContain('0 bytes for {count} $&, 2 times');
});
