import { providerFacts, type ProviderFinding } from '@vestibule/contract/settings/provider-check';
import { createMessage, type Message } from '@vestibule/contract/texts/text';
import type { ProviderConfig } from '../../platform/config/read-config.ts';
import type { Fetch } from './http-probe.ts';
import type { RefusedToken, RecentTokens } from './recent-tokens.ts';

/** A metadata document (OpenID Connect Discovery 1.0, section 3). */
export type Metadata = Record<string, unknown>;

export type ProviderCheckDeps = {
  provider: ProviderConfig;
  isEmbedded: boolean;
  publicUrl: string;
  /** Expected issuer in the metadata of this site. */
  inviteTokenIssuer: string;
  publishedKeyIds: () => Promise<string[]>;
  recentTokens: RecentTokens;
  fetch: Fetch;
  now: () => number;
};

/** For untranslated values: names, addresses, provider messages. */
export const literalMessage = (value: string): Message => createMessage(providerFacts.asIs, { value });

type Outcome = ProviderFinding['outcome'];

/** Creates findings about one topic. */
export function createFindings(topic: Message, expected: Message) {
  const finding = (outcome: Outcome, found: Message, remedy: Message | null): ProviderFinding => ({
    topic,
    outcome,
    found,
    expected,
    mend: remedy,
  });
  return {
    ok: (found = expected) => finding('ok', found, null),
    warning: (found: Message, remedy: Message) => finding('warning', found, remedy),
    failed: (found: Message, remedy: Message) => finding('failed', found, remedy),
    problem: (outcome: 'warning' | 'failed', found: Message, remedy: Message) =>
      finding(outcome, found, remedy),
  };
}

/** Returns null for an invalid URL. */
export function originOf(address: string): string | null {
  return URL.canParse(address) ? new URL(address).origin : null;
}

export const isoTimeOf = ({ at }: { at: number }): string => new Date(at).toISOString();

/**
 * Returns the provider's token that was rejected within the past hour because of `claim`. The outcome is only a warning if other tokens
 * are accepted: the token may have been for another application.
 */
export function findRecentlyRefusedToken(
  { recentTokens, now }: ProviderCheckDeps,
  claim: string,
): { refused: RefusedToken | null; outcome: 'warning' | 'failed' } {
  const { accepted, refused } = recentTokens.last();
  const isRecent = refused !== null && refused.claim === claim && now() - refused.at <= 60 * 60_000;
  return { refused: isRecent ? refused : null, outcome: accepted ? 'warning' : 'failed' };
}
