/**
 * "Check the provider": visits the sign-in service as this server and browsers do, and this site as the sign-in
 * service does, and compares. Every finding says in words what was found, what was expected and which setting mends it.
 */
import { checkProvider, type ProviderFinding } from '@vestibule/contract/settings/provider-check';
import { backchannelLogoutPath, callbackPath } from '@vestibule/contract/sign-in';
import type { JSONWebKeySet } from 'jose';
import type { Area } from '../../platform/area.ts';
import type { Config } from '../../platform/config/read-config.ts';
import type { Database } from '../../platform/database/database.ts';
import { createRateLimit } from '../../platform/database/rate-limit.ts';
import { assertWithinRateLimit } from '../../platform/errors/failure.ts';
import { implement } from '../../platform/http/implement.ts';
import { inspectOurMetadata, inspectTokens } from './check-received-tokens.ts';
import { inspectOidc } from './check-oidc.ts';
import { inspectProvider } from './check-provider.ts';
import { inspectRegistration, pageAddress } from './check-registration.ts';
import type { ProviderCheckDeps } from './provider-finding.ts';

export function providerCheck({
  config,
  signingKeys,
  recordOnboardingStep,
  ...given
}: Pick<ProviderCheckDeps, 'inviteTokenIssuer' | 'recentTokens' | 'now'> & {
  database: Database;
  config: Config;
  /** The keys of invite tokens, as they have to be published. */
  signingKeys: { published(): Promise<JSONWebKeySet> };
  /** Hears of a check that has found nothing wrong. */
  recordOnboardingStep: (what: 'provider_checked_at') => Promise<void>;
}): Area {
  const deps = {
    ...given,
    isEmbedded: config.embeddedProvider !== null,
    publicUrl: config.publicUrl,
    async publishedKeyIds() {
      const { keys } = await signingKeys.published();
      return keys.flatMap(({ kid }) => kid ?? []);
    },
    fetch,
  };
  const attempts = createRateLimit(deps, { name: 'provider check', maximum: 10, windowSeconds: 60 });
  const routes = [
    implement(checkProvider, async ({ caller }) => {
      assertWithinRateLimit(await attempts.take(caller.id));
      const findings = [
        ...(config.provider ? await inspectAll({ ...deps, provider: config.provider }) : []),
        ...(await Promise.all(config.oidc.map((provider) => inspectOidc(provider, deps)))).flat(),
      ];
      if (findings.every(({ outcome }) => outcome !== 'failed'))
        await recordOnboardingStep('provider_checked_at');
      return {
        at: new Date(deps.now()).toISOString(),
        findings,
        registrations: registrationsOf(config),
      };
    }),
  ];
  return { routes };
}

function registrationsOf({ publicUrl, provider, oidc }: Config) {
  const byUse = {
    redirect: callbackPath,
    'signed-out': () => '/',
    'backchannel-logout': backchannelLogoutPath,
  };
  return [
    ...(provider
      ? [{ provider: 'Azure AD B2C', use: 'page' as const, address: pageAddress(publicUrl) }]
      : []),
    ...oidc.flatMap(({ id, name }) =>
      (Object.keys(byUse) as (keyof typeof byUse)[]).map((use) => ({
        provider: name,
        use,
        address: publicUrl + byUse[use](id),
      })),
    ),
  ];
}

/** All findings, in the order of a sign-in. Ends within 10 seconds. */
async function inspectAll(deps: ProviderCheckDeps): Promise<ProviderFinding[]> {
  const ours = inspectOurMetadata(deps);
  const { signIn, findings } = await inspectProvider(deps);
  return [...findings, ...(await inspectRegistration(deps, signIn)), ...inspectTokens(deps), ...(await ours)];
}
