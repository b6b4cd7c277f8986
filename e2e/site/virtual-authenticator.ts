/**
 * A device that keeps passkeys, as Chromium plays one (WebDriver's virtual authenticator, by its debugging protocol): it answers at
 * once unless told to wait, and keeps its keys while its page is open.
 */
import type { CDPSession, Page } from '@playwright/test';

export type Authenticator = Awaited<ReturnType<typeof addAuthenticator>>;

type Options = {
  /** false: like a key without finger, face or PIN. */
  verifies?: boolean;
  /** false: the person refuses to be verified. */
  isVerified?: boolean;
  /** false: bound to this device. */
  synced?: boolean;
  /** false: whoever holds it does not touch it until told to. */
  present?: boolean;
  /** false: it keeps no passkeys, only keys that a site knows by name. */
  keeps?: boolean;
};

/** A passkey as the device keeps it. */
type Credential = { credentialId: string; userHandle?: string; signCount: number; privateKey: string };

/** Gives a page a device. Add it before the page loads, where nothing is to be offered by itself. */
export async function addAuthenticator(page: Page, options: Options = {}) {
  const { verifies = true, isVerified = true, synced = true, present = true, keeps = true } = options;
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable', { enableUI: false });
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: keeps,
      hasUserVerification: verifies,
      isUserVerified: isVerified,
      automaticPresenceSimulation: present,
      defaultBackupEligibility: synced,
      defaultBackupState: synced,
    },
  });
  return {
    /** The passkeys that it keeps. */
    credentials: async () =>
      (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials as Credential[],
    /** Whoever holds it touches it, or stops doing so. */
    setPresent: (enabled: boolean) =>
      cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled }),
    setVerified: (verified: boolean) =>
      cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: verified }),
    /** It is out of reach, with all that it keeps, until the answer is called. */
    putAway: async () => {
      const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId });
      await cdp.send('WebAuthn.clearCredentials', { authenticatorId });
      const kept = { credentials: () => Promise.resolve(credentials as Credential[]) };
      return () => copy(cdp, authenticatorId, kept);
    },
    /** It is lost, with all that it kept. */
    remove: () => cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId }),
    /** It keeps a passkey of another device too, as synced ones do. */
    copyFrom: (other: { credentials: () => Promise<Credential[]> }) => copy(cdp, authenticatorId, other),
  };
}

async function copy(
  cdp: CDPSession,
  authenticatorId: string,
  other: { credentials: () => Promise<Credential[]> },
): Promise<void> {
  for (const credential of await other.credentials())
    // oxlint-disable-next-line no-await-in-loop -- a handful, in the order in which they were made
    await cdp.send('WebAuthn.addCredential', { authenticatorId, credential: credential as never });
}
