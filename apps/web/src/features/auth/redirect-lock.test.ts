/** How a page is left when two reasons to leave it meet. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createDeparture } from './redirect-lock.ts';

const goTo = () => vi.fn<(address?: string) => void>();
const location = { assign: goTo(), replace: goTo(), reload: goTo() };
beforeEach(() => vi.stubGlobal('window', { location, addEventListener: () => {} }));
afterEach(() => {
  vi.unstubAllGlobals();
  vi.clearAllMocks();
});

test.each([
  ['to the start, where the reason is told,', 'toStart'],
  ['anew', 'reload'],
] as const)(
  'a page that goes %s is not taken to the provider by a sign-in that had begun (F6)',
  async (_where, go) => {
    const departure = createDeparture();
    const address = Promise.withResolvers<string>();
    void departure.leaveFor(() => address.promise);
    void departure[go]();
    address.resolve('https://provider.example.com/authorize');
    await new Promise((resolve) => setTimeout(resolve));
    expect(location.assign).not.toHaveBeenCalled();
    expect(departure.isUnderWay()).toBe(true);
  },
);

test('a sign-in that nothing meets leaves for the provider', async () => {
  const departure = createDeparture();
  void departure.leaveFor(() => Promise.resolve('https://provider.example.com/authorize'));
  await new Promise((resolve) => setTimeout(resolve));
  expect(location.assign).toHaveBeenCalledWith('https://provider.example.com/authorize');
});
