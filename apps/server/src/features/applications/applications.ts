/** Protected applications (statements S1 to S5). */
import type { CryptoKey } from 'jose';
import type { Area } from '../../platform/area.ts';
import type { CoreDeps } from '../../platform/database/database.ts';
import type { OutboundHttp } from '../../platform/http/outbound-http.ts';
import { createIsTrustedProxy } from '../../platform/http/trusted-proxy.ts';
import { every } from '../../platform/timers.ts';
import type { Auth } from '../auth/auth.ts';
import type { PersonalTokens } from '../tokens/personal-token.ts';
import { createSetupCheck, mountCheck } from './check-setup.ts';
import { applicationRoutes, serveIcons } from './application-routes.ts';
import { mountApplicationSignIn } from './application-sign-in.ts';
import { mountForwardAuth } from './forward-auth.ts';
import { createGate } from './gate.ts';
import { deleteExpiredCodes } from './gate-store.ts';
import { createIdentityHeaders } from './identity-headers.ts';
import { createSendPage } from './pages.ts';

type Deps = CoreDeps &
  Pick<Auth, 'sessions' | 'recordSessionUse'> & {
    publicUrl: string;
    outboundHttp: OutboundHttp;
    secret: Buffer;
    trustProxy: string[] | false;
    /** Whether a sign-in method other than Azure AD B2C is configured. */
    hasSessions: boolean;
    personalTokens: PersonalTokens;
    signingKeys: { current(): Promise<{ kid: string; privateKey: CryptoKey }> };
    settings: { current(): Promise<{ productName: string; supportEmail: string }> };
  };

export function applications(deps: Deps): Area {
  const { database, now } = deps;
  const shared = {
    ...deps,
    gate: createGate(deps),
    isTrustedProxy: createIsTrustedProxy(deps.trustProxy),
    sendPage: createSendPage(deps),
    identityHeadersOf: createIdentityHeaders({ ...deps, keys: deps.signingKeys }),
  };
  return {
    routes: applicationRoutes({ ...deps, checkSetup: createSetupCheck(deps) }),
    plugin(app) {
      serveIcons(app, database);
      mountForwardAuth(app, shared);
      mountCheck(app, shared);
      mountApplicationSignIn(app, shared);
    },
    timers: [
      every(60_000, 'deleting expired codes of applications', () =>
        deleteExpiredCodes(database, new Date(now())),
      ),
    ],
  };
}
