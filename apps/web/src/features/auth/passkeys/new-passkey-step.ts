/** The steps that create a passkey after a code, required or offered. */
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
import { createButton, createNote, createPasskeyButton } from './elements.ts';
import { runWithErrors, type FlowContext } from './flow-context.ts';

/** Shows the step that creates a required passkey. The user is signed in only after that. */
export function showRequiredPasskey(flow: FlowContext, attempt: string, back: () => void): void {
  const unavailableReason = passkeyUnavailableReason();
  const { supportEmail } = flow;
  const skipButton = createButton(t`Use another way`, 'quiet', back);
  if (unavailableReason !== null) {
    flow.panel.show(
      t`This site requires a passkey.`,
      createNote(`${unavailableReason} ${t`Use another browser or device, or write to ${supportEmail}.`}`),
      skipButton,
    );
    return;
  }
  const createButtonElement = createPasskeyButton(t`Create a passkey`, () =>
    runWithErrors(flow, () => registerFirstPasskey(flow, { attempt })),
  );
  flow.panel.show(
    t`The code is correct. Now create a passkey: this site requires one.`,
    createButtonElement,
    createNote(t`A passkey lets you sign in with your fingerprint, face or PIN. No password needed.`),
    skipButton,
  );
}

/** Offers to create a passkey to a user who is already signed in. */
export function showPasskeyOffer(flow: FlowContext, returnTo: string, isAnother: boolean): void {
  const createAndAdd = () =>
    runWithErrors(flow, async () => {
      const { attempt, options } = await call(startPasskey, { body: {} });
      await call(addPasskey, { body: { attempt, response: await createPasskey(options) } });
      await flow.onSignedIn(returnTo);
    });
  const createButtonElement = createPasskeyButton(
    t`Create a passkey`,
    createAndAdd,
    isAnother ? 'secondary' : 'primary',
  );
  const skipButton = createButton(t`Not now`, isAnother ? 'primary' : 'secondary', () =>
    flow.onSignedIn(returnTo),
  );
  // This may be a shared computer, so skipping is the primary action.
  if (isAnother) {
    flow.panel.show(
      t`You are signed in. Have you lost the device with your passkey?`,
      createNote(
        t`If this is your own device, create a new passkey on it. You can also do this later in your profile.`,
      ),
      skipButton,
      createButtonElement,
    );
    return;
  }
  flow.panel.show(
    t`You are signed in. Next time without a code?`,
    createNote(
      t`A passkey lets you sign in with your fingerprint, face or PIN. You can also create one later in your profile.`,
    ),
    createButtonElement,
    skipButton,
  );
}

/** Creates the first passkey, which signs the user in. Throws a PasskeyFailure or CallFailure. */
export async function registerFirstPasskey(
  flow: FlowContext,
  body: { invitation: string; name: string; returnTo: string } | { attempt: string },
): Promise<void> {
  const { attempt, options } = await call(startFirstPasskey, { body });
  const response = await createPasskey(options);
  const { returnTo } = await call(createFirstPasskey, { body: { attempt, response } });
  await flow.onSignedIn(returnTo);
}
