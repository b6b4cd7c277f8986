/** What the check of the provider is given, and how its findings are written. */
import { providerFacts, type ProviderFinding } from '@vestibule/contract/settings/provider-check';
import { createMessage, type Message } from '@vestibule/contract/texts/text';
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
  recentTokens: SeenTokens;
  fetch: Fetch;
  now: () => number;
};

/** A name, an address, or the provider's own words. */
export const asIs = (value: string): Message => createMessage(providerFacts.asIs, { value });

type Outcome = ProviderFinding['outcome'];

/** Makes the findings about one topic, where `expected` is expected. */
export function about(topic: Message, expected: Message) {
  const finding = (outcome: Outcome, found: Message, mend: Message | null): ProviderFinding => ({
    topic,
    outcome,
    found,
    expected,
    mend,
  });
  return {
    ok: (found = expected) => finding('ok', found, null),
    warning: (found: Message, mend: Message) => finding('warning', found, mend),
    failed: (found: Message, mend: Message) => finding('failed', found, mend),
    trouble: (outcome: 'warning' | 'failed', found: Message, mend: Message) => finding(outcome, found, mend),
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
  { recentTokens, now }: ProviderCheckDeps,
  claim: string,
): { refused: RefusedToken | null; outcome: 'warning' | 'failed' } {
  const { accepted, refused } = recentTokens.last();
  const isLate = refused !== null && refused.claim === claim && now() - refused.at <= 60 * 60_000;
  return { refused: isLate ? refused : null, outcome: accepted ? 'warning' : 'failed' };
}
