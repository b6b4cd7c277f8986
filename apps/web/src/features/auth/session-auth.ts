/** Auth client for server sessions, including sites that offer B2C among other methods. Loads the B2C client only when it is needed. */
import { i18n } from '@lingui/core';
import type { Configuration, SignInMethod } from '@vestibule/contract/configuration';
import { endSession } from '@vestibule/contract/sign-in/sessions';
import { startSignIn } from '@vestibule/contract/sign-in';
import { CallFailure } from '../../language/call-failure.ts';
import { call } from '../../lib/call.ts';
import type { AuthClient, ChosenSignInMethod, ServerSession, SignInRequest } from './auth-client.ts';
import { hasSavedUrl, isSignedInPath, readSavedUrl, saveUrl } from './storage/return-url.ts';
import {
  announceSession,
  onSessionElsewhere,
  readLastSignInMethod,
  removeStored,
  storeLastSignInMethod,
  storedKeys,
  takeStored,
  writeStored,
} from './storage/storage.ts';

export async function createSessionAuth(
  configuration: Configuration,
  openB2c: () => Promise<AuthClient>,
): Promise<AuthClient> {
  let b2c: AuthClient | null = null;
  const b2cClient = async () => (b2c ??= await openB2c());
  const isKind = (kind: SignInMethod['kind']) => (method: SignInMethod) => method.kind === kind;
  if (
    configuration.Ways.some(isKind('b2c')) &&
    (storedKeys().includes('.account.keys') || /[#&]state=/.test(window.location.hash))
  )
    await b2cClient();

  const signInMethods = (): SignInMethod[] => {
    const last = readLastSignInMethod();
    return configuration.Ways.toSorted((a, b) => Number(b.id === last) - Number(a.id === last));
  };

  const session: ServerSession = {
    signInMethods,
    async chooseSignInMethod() {
      const [method, ...others] = signInMethods();
      const next = takeStored('nextSignIn') ?? {};
      writeStored('nextSignIn', next);
      const isSignedOut = next.forceLogin === true;
      if (signInMethods().some(isKind('passkeys'))) {
        const { showLoginPanel } = await import('./passkeys/login-panel.ts');
        return showLoginPanel(configuration, signInMethods(), next, requestSignIn);
      }
      const { KnowsDomains } = configuration;
      if (method && others.length === 0 && !isSignedOut && !KnowsDomains) return { method };
      const { showMethodChooser } = await import('./sign-in/method-chooser.ts');
      return showMethodChooser({
        isSignedOut,
        methods: signInMethods(),
        address: next.address ?? '',
        findByAddress: KnowsDomains ? (address) => findMethodByAddress({ ...next, address }) : null,
      });
    },
    async findUser(load) {
      // Without any sign of a session no request is sent: browsers would print its status 401 to the console.
      if (!hasSavedUrl() && !storedKeys().includes('session.')) return null;
      try {
        return await load(true);
      } catch (error) {
        if (!(error instanceof CallFailure) || error.status !== 401) throw error;
        removeStored('userDetail');
        return null;
      }
    },
    handleEnd() {
      const { pathname, search, hash } = window.location;
      if (isSignedInPath(pathname)) saveUrl(pathname + search + hash);
      removeStored('userDetail');
      writeStored('nextSignIn', { forceLogin: true });
    },
    handleStart: ({ Id }) => announceSession(Id),
    onSignInElsewhere: onSessionElsewhere,
  };

  return {
    session: () => (b2c?.account() ? null : session),
    handleRedirect: async () => (b2c ? b2c.handleRedirect() : { kind: 'none' }),
    account: () => b2c?.account() ?? null,
    async signIn({ url, ...request }) {
      if (request.method) storeLastSignInMethod(request.method.id);
      // Passkeys are used on the login screen.
      if (request.method?.kind === 'passkeys') return '/';
      if (request.method?.kind !== 'oidc') return (await b2cClient()).signIn(request);
      // The URL is null only for B2C.
      return url ?? (await requestSignIn(request)).url ?? '/';
    },
    resetPassword: async () => (await b2cClient()).resetPassword(),
    signUp: async (inviteToken) => (await b2cClient()).signUp(inviteToken),
    accessToken: async (options) => (b2c ? b2c.accessToken(options) : null),
    signOutAddress: async () => (b2c?.account() ? b2c.signOutAddress() : (await call(endSession)).url),
  };
}

async function findMethodByAddress(
  request: SignInRequest & { address: string },
): Promise<ChosenSignInMethod> {
  const { way: method, url } = await requestSignIn(request);
  return { address: request.address, method, url };
}

const requestSignIn = ({ method, invitation, address, forceLogin }: SignInRequest) =>
  call(startSignIn, {
    body: {
      returnTo: readSavedUrl(),
      language: i18n.locale,
      ...(method && { way: method.id }),
      ...(invitation !== undefined && { invitation }),
      ...(address && { address }),
      ...(forceLogin && { chooseAccount: true }),
    },
  });
