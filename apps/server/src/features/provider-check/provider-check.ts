/**
 * The provider check: requests the sign-in service as this server and browsers do, requests this site as the sign-in service does, and
 * reports differences with advice.
 */
import { checkProvider } from '@vestibule/contract/settings/provider-check';
import { backchannelLogoutPath, callbackPath } from '@vestibule/contract/sign-in';
import type { JSONWebKeySet } from 'jose';
import type { Area } from '../../platform/area.ts';
import type { Config } from '../../platform/config/read-config.ts';
import type { Database } from '../../platform/database/database.ts';
import { createRateLimit } from '../../platform/database/rate-limit.ts';
import { assertWithinRateLimit } from '../../platform/errors/failure.ts';
import { implement } from '../../platform/http/implement.ts';
import { checkB2cProvider, pageAddress, type B2cCheckDeps } from './check-b2c.ts';
import { checkOidcProvider } from './check-oidc.ts';

export function providerCheck({
  config,
  signingKeys,
  recordOnboardingStep,
  ...dependencies
}: Pick<B2cCheckDeps, 'inviteTokenIssuer' | 'recentTokens' | 'now'> & {
  database: Database;
  config: Config;
  /** Published keys of invite tokens. */
  signingKeys: { published(): Promise<JSONWebKeySet> };
  /** Called after a check without failures. */
  recordOnboardingStep: (step: 'provider_checked_at') => Promise<void>;
}): Area {
  const deps = {
    ...dependencies,
    publicUrl: config.publicUrl,
    async publishedKeyIds() {
      const { keys } = await signingKeys.published();
      return keys.flatMap(({ kid }) => kid ?? []);
    },
  };
  const attempts = createRateLimit(deps, { name: 'provider check', maximum: 10, windowSeconds: 60 });
  const routes = [
    implement(checkProvider, async ({ caller }) => {
      assertWithinRateLimit(await attempts.take(caller.id));
      const findings = [
        ...(config.provider ? await checkB2cProvider({ ...deps, provider: config.provider }) : []),
        ...(await Promise.all(config.oidc.map((provider) => checkOidcProvider(provider, deps)))).flat(),
      ];
      if (findings.every(({ outcome }) => outcome !== 'failed'))
        await recordOnboardingStep('provider_checked_at');
      return { at: new Date(deps.now()).toISOString(), findings, registrations: registrationsOf(config) };
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
