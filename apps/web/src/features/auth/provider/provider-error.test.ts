import * as msal from '@azure/msal-browser';
import { describe, expect, test } from 'vitest';
import { describeProviderError } from './provider-error.ts';

const lists = Object.entries(msal).filter(([name]) => name.endsWith('ErrorCodes'));
const codes = [...new Set(lists.flatMap(([, list]) => Object.values(list as Record<string, string>)))];
const libraryText = /aka\.ms|msal|https?:|_|undefined|null|Error\(s\)|TypeError|fetch/i;

const guid = '2a51b1a1-0a1b-4c2d-8e3f-112233445566';

function errorsOf(code: string): Error[] {
  const { AuthError, BrowserAuthError, ClientAuthError, InteractionRequiredAuthError } = msal;
  return [
    new BrowserAuthError(code, guid),
    new ClientAuthError(code, guid),
    new InteractionRequiredAuthError(code, guid),
    new AuthError(code, guid),
    Object.assign(new Error(`See https://aka.ms/msal.js.errors#${code} for details`), { errorCode: code }),
    Object.assign(new Error(code), { name: 'ServerError', errorCode: code, errorMessage: '' }),
  ];
}

test('MSAL exports its error codes, including "user_cancelled"', () => {
  expect(lists.length).toBeGreaterThan(3);
  expect(codes.length).toBeGreaterThan(100);
  expect(codes).toContain('user_cancelled');
});

test.each(codes)(
  "describeProviderError describes %s without the library's text, with the code as reference (E3)",
  (code) => {
    for (const error of errorsOf(code)) {
      const { message, providerText, reference } = describeProviderError(error);
      expect(message).toMatch(/^[A-Z].*\.$/);
      expect(message).not.toMatch(libraryText);
      expect(message).not.toContain(code);
      expect(providerText).toBe('');
      expect(reference).toBe(code);
    }
  },
);

test.each([
  new TypeError('Failed to fetch'),
  new DOMException('signal timed out', 'TimeoutError'),
  new SyntaxError('Unexpected token < in JSON'),
  new Error(''),
  {},
])("describeProviderError describes %o without the library's text (E3)", (error) => {
  const { message } = describeProviderError(error);
  expect(message).toMatch(/^The sign-in .*\.$/);
  expect(message).not.toMatch(libraryText);
});

describe("the provider's own text", () => {
  const b2c = (text: string) => `${text}\r\nCorrelation ID: ${guid}\r\nTimestamp: 2026-11-22 05:00:00Z\r\n`;
  const serverError = (text: string) =>
    Object.assign(new Error(text), {
      name: 'ServerError',
      errorCode: 'access_denied',
      errorMessage: text,
      correlationId: guid,
    });

  test('is shown for an authorize request, without correlation id and time (C4, D11)', () => {
    const text = "AADB2C90117: The scope 'unknown.scope' provided in the request is not supported.";
    expect(describeProviderError(serverError(b2c(text)))).toMatchObject({
      kind: 'other',
      message: text,
      providerText: text,
      reference: guid,
    });
    expect(describeProviderError(serverError('The account is locked.'))).toMatchObject({
      message: 'The account is locked.',
    });
  });

  test("is extracted from MSAL's wrapping for a token request (C4)", () => {
    const text = 'AADB2C90080: The provided grant has expired. Please re-authenticate and try again.';
    const wrapped = `Error(s): Not Available - Timestamp: Not Available - Description: ${text} - Correlation ID: ${guid} - Trace ID: Not Available`;
    expect(describeProviderError(serverError(wrapped)).message).toBe(text);
    expect(
      describeProviderError(serverError('Error(s): 1 - Description: nothing of B2C')).message,
    ).not.toMatch(libraryText);
  });

  test('identifies a forgotten password and a cancelled page by their B2C error codes (C3, D10)', () => {
    expect(
      describeProviderError(serverError(b2c('AADB2C90118: The user has forgotten their password.'))).kind,
    ).toBe('forgotten-password');
    const cancelled = b2c('AADB2C90091: The user has cancelled entering self-asserted information.');
    expect(describeProviderError(serverError(cancelled)).kind).toBe('cancelled');
  });
});
