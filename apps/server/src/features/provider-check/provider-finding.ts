/** What the check of the provider is given, and how its findings are written. */
import { providerFacts, type ProviderFinding } from '@vestibule/contract/settings/provider-check';
import { say, type Text } from '@vestibule/contract/texts/text';
import type { ProviderConfig } from '../../platform/config/read-config.ts';
import type { Fetch } from './http-probe.ts';
import type { RefusedToken, SeenTokens } from './recent-tokens.ts';

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

type Outcome = ProviderFinding['outcome'];

/** Makes the findings about one topic, where `expected` is expected. */
export function about(topic: Text, expected: Text) {
  const finding = (outcome: Outcome, found: Text, mend: Text | null): ProviderFinding => ({
    topic,
    outcome,
    found,
    expected,
    mend,
  });
  return {
    ok: (found = expected) => finding('ok', found, null),
    warning: (found: Text, mend: Text) => finding('warning', found, mend),
    failed: (found: Text, mend: Text) => finding('failed', found, mend),
    trouble: (outcome: 'warning' | 'failed', found: Text, mend: Text) => finding(outcome, found, mend),
  };
}

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
