import type { Directory } from '@vestibule/contract/directory';

export type TokenRow = {
  token_made_at: Date | null;
  token_made_by: string | null;
  earlier_token_until: Date | null;
};

/** Returns null if there is no token. */
export function describeToken(
  { token_made_at: madeAt, token_made_by: madeBy, earlier_token_until: until }: TokenRow,
  now: number,
): Directory['token'] {
  if (madeAt === null) return null;
  return {
    madeAt: madeAt.toISOString(),
    madeBy: madeBy ?? '',
    earlierUntil: until && until.getTime() > now ? until.toISOString() : null,
  };
}
