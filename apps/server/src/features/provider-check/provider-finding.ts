/** What the check of the provider is given, and how its findings are written. */
import { providerFacts, type ProviderFinding } from '@vestibule/contract/settings/provider-check';
import { say, type Text, type TextDefinition } from '@vestibule/contract/texts/text';
import type { ProviderConfig } from '../../platform/config/read-config.ts';
import type { Fetch } from './provider-visit.ts';
import type { RefusedToken, SeenTokens } from './seen-tokens.ts';

/** A metadata document (OpenID Connect Discovery 1.0, section 3). */
export type Metadata = Record<string, unknown>;

export type ProviderCheckDeps = {
  provider: ProviderConfig;
  isEmbedded: boolean;
  publicUrl: string;
  /** What our own metadata has to say. */
  inviteTokenIssuer: string;
  publishedKeyIds: () => Promise<string[]>;
  seenTokens: SeenTokens;
  fetch: Fetch;
  now: () => number;
};

/** A name, an address, or the provider's own words. */
export const asIs = (value: string): Text => say(providerFacts.asIs, { value });

export const ok = (topic: TextDefinition, found: Text, expected: Text): ProviderFinding => ({
  topic: say(topic),
  outcome: 'ok',
  found,
  expected,
  mend: null,
});

export const trouble = (
  outcome: 'warning' | 'failed',
  topic: TextDefinition,
  found: Text,
  expected: Text,
  mend: Text,
): ProviderFinding => ({ topic: say(topic), outcome, found, expected, mend });

/** Null for what is no address. */
export function originOf(address: string): string | null {
  return URL.canParse(address) ? new URL(address).origin : null;
}

/** The moment of a token, as a value. */
export const momentOf = ({ at }: { at: number }): string => new Date(at).toISOString();

/**
 * The last token of the past hour that was the provider's own and was refused here because of `claim`. Where others are
 * accepted it may have been for another application, so it is only a warning.
 */
export function refusedLately(
  { seenTokens, now }: ProviderCheckDeps,
  claim: string,
): { refused: RefusedToken | null; outcome: 'warning' | 'failed' } {
  const { accepted, refused } = seenTokens.last();
  const isLate = refused !== null && refused.claim === claim && now() - refused.at <= 60 * 60_000;
  return { refused: isLate ? refused : null, outcome: accepted ? 'warning' : 'failed' };
}
