import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createConditionalUi } from './conditional-ui.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A field with a simulated server and device. An offer stays open until `answer` is called. */
function simulateField() {
  const field = {
    isShown: true,
    isServerUp: true,
    requests: 0,
    offers: 0,
    answer: (_isSignedIn: boolean) => {},
  };
  const start = createConditionalUi(
    () => field.isShown,
    () => {
      field.requests += 1;
      return field.isServerUp ? Promise.resolve({} as never) : Promise.reject(new Error('unreachable'));
    },
    () => {
      field.offers += 1;
      return new Promise((resolve) => {
        field.answer = resolve;
      });
    },
  );
  return Object.assign(field, { start });
}
const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);

test('the passkey offer is renewed before its challenge expires, while the field is shown', async () => {
  const field = simulateField();
  void field.start();
  await pass(239);
  expect(field.offers).toBe(1);
  await pass(1);
  expect(field.offers).toBe(2);
  field.isShown = false;
  await pass(600);
  expect(field.requests).toBe(2);
});

test('the passkey offer is renewed after a response that did not sign in the user', async () => {
  const field = simulateField();
  void field.start();
  await pass(1);
  field.answer(false);
  await pass(5);
  expect(field.offers).toBe(2);
  field.answer(true);
  await pass(5);
  expect(field.offers).toBe(2);
});

test('the passkey offer is renewed once the server is reachable again', async () => {
  const field = simulateField();
  void field.start();
  await pass(1);
  field.isServerUp = false;
  await pass(245);
  expect(field.offers).toBe(1);
  field.isServerUp = true;
  await pass(10);
  expect(field.offers).toBe(2);
});

test('requests to a failing server are repeated with growing delays of at most four minutes', async () => {
  const field = simulateField();
  field.isServerUp = false;
  void field.start();
  await pass(5 + 10 + 20 + 1);
  expect(field.requests).toBe(4);
  await pass(3600);
  expect(field.requests).toBeLessThan(25);
  field.isServerUp = true;
  await pass(240);
  expect(field.offers).toBe(1);
});

test('starting several times results in one passkey offer', async () => {
  const field = simulateField();
  field.isServerUp = false;
  for (let time = 0; time < 3; time += 1) void field.start();
  await pass(1);
  field.isServerUp = true;
  await pass(20);
  expect(field.offers).toBe(1);
});
