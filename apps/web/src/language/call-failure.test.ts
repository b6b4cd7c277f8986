import { i18n } from '@lingui/core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CallFailure, describeFailure } from './call-failure.ts';

beforeEach(() => {
  i18n.loadAndActivate({ locale: 'en', messages: {} });
  vi.useFakeTimers({ now: new Date(2026, 10, 23, 20, 0) });
});
afterEach(() => {
  vi.useRealTimers();
});

test.each([
  [2, /^Too many\. You can try again at 10:00:00\sPM\.$/],
  [24, /^Too many\. You can try again at Nov 24, 2026, 8:00\sPM\.$/],
])(
  'describeFailure names the time at which a wait of %i hours ends, with the date if it is not today',
  (hours, message) => {
    const response = { code: 'none.of_ours', message: 'Too many.', requestId: '' };
    const retryAt = new Date(Date.now() + hours * 3_600_000);
    expect(describeFailure(new CallFailure(response, 429, undefined, retryAt)).message).toMatch(message);
  },
);
