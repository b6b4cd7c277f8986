/**
 * Ways in that the server leads, and ends in a session of its own; and all ways together where B2C is one of several. Its library
 * then waits until somebody comes that way.
 */
import { i18n } from '@lingui/core';
import { t } from '@lingui/core/macro';
import type { Configuration, SignInMethod } from '@vestibule/contract/configuration';
import { endSession } from '@vestibule/contract/sign-in/sessions';
import { startSignIn } from '@vestibule/contract/sign-in';
import { CallFailure } from '../../language/call-failure.ts';
import { call } from '../../lib/call.ts';
import type { Entrance, ServerSession, SignInBy } from './auth-client.ts';
import { isAddressSaved, isSignedInPath, readSavedUrl, saveUrl } from './storage/return-url.ts';
import { keepLastWay, readLastWay, tellSessionOf, whenSessionElsewhere } from './storage/cross-tab.ts';
import { namesKept, takeNextSignIn, writeNextSignIn, writeUserDetail } from './storage/storage.ts';

export async function openServerLed(
  configuration: Configuration,
  openB2c: () => Promise<Entrance>,
): Promise<Entrance> {
  let b2c: Entrance | null = null;
  const byB2c = async () => (b2c ??= await openB2c());
  const isKind = (kind: SignInMethod['kind']) => (way: SignInMethod) => way.kind === kind;
  if (
    configuration.Ways.some(isKind('b2c')) &&
    (namesKept().includes('.account.keys') || /[#&]state=/.test(window.location.hash))
  )
    await byB2c();

  const ways = (): SignInMethod[] => {
    const last = readLastWay();
    return configuration.Ways.toSorted((one, other) => Number(other.id === last) - Number(one.id === last));
  };

  const session: ServerSession = {
    ways,
    async chooseWay() {
      const [way, ...others] = ways();
      const next = takeNextSignIn();
      writeNextSignIn(next);
      const isSignedOut = next.afresh === true;
      if (ways().some(isKind('passkeys'))) {
        const { signInHere } = await import('./passkeys/login-panel.ts');
        return signInHere(configuration, ways(), next);
      }
      if (way && others.length === 0 && !isSignedOut) return { way };
      const { offerWays } = await import('./sign-in/method-chooser.ts');
      return offerWays({
        sentence: isSignedOut ? t`You are signed out.` : t`How do you want to sign in?`,
        ways: ways(),
        find:
          configuration.KnowsDomains && others.length > 0
            ? async (address) => ({ address, ...(await start({ ...next, address })) })
            : null,
      });
    },
    async findUser(load) {
      // Where nothing says that somebody is or was in, nobody is asked for: browsers complain of the answer in their console.
      if (!isAddressSaved() && !namesKept().includes('session.')) return null;
      try {
        return await load(true);
      } catch (error) {
        if (!(error instanceof CallFailure) || error.status !== 401) throw error;
        writeUserDetail(null);
        return null;
      }
    },
    ended() {
      const { pathname, search, hash } = window.location;
      if (isSignedInPath(pathname)) saveUrl(pathname + search + hash);
      writeUserDetail(null);
      writeNextSignIn({ afresh: true });
    },
    begun: ({ Id }) => tellSessionOf(Id),
    whenBegunElsewhere: whenSessionElsewhere,
  };

  return {
    session: () => (b2c?.account() ? null : session),
    handleRedirect: async () => (b2c ? b2c.handleRedirect() : { kind: 'none' }),
    account: () => b2c?.account() ?? null,
    async signIn({ url, ...by }) {
      if (by.way) keepLastWay(by.way.id);
      // Here: the login screen.
      if (by.way?.kind === 'passkeys') return '/';
      if (by.way?.kind !== 'oidc') return (await byB2c()).signIn(by);
      // Null is B2C's answer only.
      return url ?? (await start(by)).url ?? '/';
    },
    resetPassword: async () => (await byB2c()).resetPassword(),
    signUp: async (inviteToken) => (await byB2c()).signUp(inviteToken),
    accessToken: async (options) => (b2c ? b2c.accessToken(options) : null),
    async signOutAddress() {
      return b2c?.account() ? b2c.signOutAddress() : (await call(endSession)).url;
    },
  };
}

function start({ way, invitation, address, afresh }: SignInBy) {
  return call(startSignIn, {
    body: {
      returnTo: readSavedUrl(),
      language: i18n.locale,
      ...(way && { way: way.id }),
      ...(invitation !== undefined && { invitation }),
      ...(address && { address }),
      ...(afresh && { chooseAccount: true }),
    },
  });
}
