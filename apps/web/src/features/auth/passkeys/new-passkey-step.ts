/** The steps in which somebody makes a passkey after a code: because it is demanded, or because it is offered. */
import { t } from '@lingui/core/macro';
import {
  addPasskey,
  startFirstPasskey,
  startPasskey,
  createFirstPasskey,
} from '@vestibule/contract/sign-in/passkeys';
import { call } from '../../../lib/call.ts';
import { createPasskey } from '../../../lib/sign-in/new-passkey.ts';
import { passkeyUnavailableReason } from '../../../lib/sign-in/passkeys.ts';
import { button, note, passkeyButton } from './elements.ts';
import { attemptIn, type Flow } from './flow-context.ts';

/** After a code where a passkey is demanded: nobody is inside before there is one. */
export function showDemand(flow: Flow, attempt: string, back: () => void): void {
  const why = passkeyUnavailableReason();
  const { supportEmail } = flow;
  const leave = button(t`Use another way`, 'quiet', back);
  if (why !== null)
    return flow.stage.show(
      t`This site requires a passkey.`,
      note(`${why} ${t`Use another browser or device, or write to ${supportEmail}.`}`),
      leave,
    );
  const make = passkeyButton(t`Create a passkey`, () => attemptIn(flow, () => makeFirst(flow, { attempt })));
  return flow.stage.show(
    t`The code is correct. Now create a passkey: this site requires one.`,
    make,
    note(t`A passkey lets you sign in with your fingerprint, face or PIN. No password needed.`),
    leave,
  );
}

/** After a code, to somebody who is inside: a passkey for the next time, or not now. */
export function showOffer(flow: Flow, returnTo: string, isAnother: boolean): void {
  const makeIt = () =>
    attemptIn(flow, async () => {
      const { attempt, options } = await call(startPasskey, { body: {} });
      await call(addPasskey, { body: { attempt, response: await createPasskey(options) } });
      await flow.inside(returnTo);
    });
  const make = passkeyButton(t`Create a passkey`, makeIt, isAnother ? 'secondary' : 'primary');
  const leave = button(t`Not now`, isAnother ? 'primary' : 'secondary', () => flow.inside(returnTo));
  // Whoever has one may sit at a computer that is not theirs: the way on comes first.
  if (isAnother)
    return flow.stage.show(
      t`You are signed in. Have you lost the device with your passkey?`,
      note(
        t`If this is your own device, create a new passkey on it. You can also do this later in your profile.`,
      ),
      leave,
      make,
    );
  return flow.stage.show(
    t`You are signed in. Next time without a code?`,
    note(
      t`A passkey lets you sign in with your fingerprint, face or PIN. You can also create one later in your profile.`,
    ),
    make,
    leave,
  );
}

/** Somebody's first passkey: they are inside with it. Throws what came in between. */
export async function makeFirst(
  flow: Flow,
  body: { invitation: string; name: string; returnTo: string } | { attempt: string },
): Promise<void> {
  const { attempt, options } = await call(startFirstPasskey, { body });
  const response = await createPasskey(options);
  const { returnTo } = await call(createFirstPasskey, { body: { attempt, response } });
  await flow.inside(returnTo);
}
