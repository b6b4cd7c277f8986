import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { offering } from './conditional-ui.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A field whose server and device the test plays; what is offered is open until it is answered. */
function playedField() {
  const field = { isShown: true, server: true, asked: 0, offered: 0, answer: (_isInside: boolean) => {} };
  const begin = offering(
    () => field.isShown,
    () => {
      field.asked += 1;
      return field.server ? Promise.resolve({} as never) : Promise.reject(new Error('unreachable'));
    },
    () => {
      field.offered += 1;
      return new Promise((resolve) => {
        field.answer = resolve;
      });
    },
  );
  return Object.assign(field, { begin });
}
const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);

test('a passkey is offered anew before the server forgets what it asked, while the field is there', async () => {
  const field = playedField();
  void field.begin();
  await pass(239);
  expect(field.offered).toBe(1);
  await pass(1);
  expect(field.offered).toBe(2);
  field.isShown = false;
  await pass(600);
  expect(field.asked).toBe(2);
});

test('it is offered again after an answer that let nobody in', async () => {
  const field = playedField();
  void field.begin();
  await pass(1);
  field.answer(false);
  await pass(5);
  expect(field.offered).toBe(2);
  field.answer(true);
  await pass(5);
  expect(field.offered).toBe(2);
});

test('it is offered again once the server can be reached, also when that fails at a renewal', async () => {
  const field = playedField();
  void field.begin();
  await pass(1);
  field.server = false;
  await pass(245);
  expect(field.offered).toBe(1);
  field.server = true;
  await pass(10);
  expect(field.offered).toBe(2);
});

test('a server in trouble is asked ever more rarely, and every few minutes for as long as it takes', async () => {
  const field = playedField();
  field.server = false;
  void field.begin();
  await pass(5 + 10 + 20 + 1);
  expect(field.asked).toBe(4);
  await pass(3600);
  expect(field.asked).toBeLessThan(25);
  field.server = true;
  await pass(240);
  expect(field.offered).toBe(1);
});

test('what is begun again in between is offered once', async () => {
  const field = playedField();
  field.server = false;
  for (let time = 0; time < 3; time += 1) void field.begin();
  await pass(1);
  field.server = true;
  await pass(20);
  expect(field.offered).toBe(1);
});
