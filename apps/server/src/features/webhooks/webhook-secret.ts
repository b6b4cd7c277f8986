/** Creates webhook secrets, encrypts them for storage and signs messages (Standard Webhooks). */
import { randomBytes } from 'node:crypto';
import { secretOverlapHours } from '@vestibule/contract/webhooks';
import { Webhook as Signer } from 'standardwebhooks';
import { createEncryption } from '../../platform/identity/encryption.ts';
import { hourMs } from '../../platform/time-units.ts';

/** Standard Webhooks requires 24 to 64 bytes. */
const secretBytes = 32;

export type StoredSecrets = {
  secret: Buffer;
  earlier_secret: Buffer | null;
  earlier_secret_until: Date | null;
};

export function createWebhookSecrets(serverSecret: Buffer) {
  const encryption = createEncryption(serverSecret, 'vestibule webhook secrets');
  return {
    /** The plain secret is shown once; `encrypted` is stored. */
    create(): { secret: string; encrypted: Buffer } {
      const secret = `whsec_${randomBytes(secretBytes).toString('base64')}`;
      return { secret, encrypted: encryption.encrypt(secret) };
    },

    earlierSecretUntil: (now: number) => new Date(now + secretOverlapHours * hourMs),

    /** Signs with both secrets during a rotation. */
    sign(
      { secret, earlier_secret, earlier_secret_until }: StoredSecrets,
      message: { id: string; body: string; at: number },
    ): Record<string, string> {
      const isEarlierValid = earlier_secret_until !== null && earlier_secret_until.getTime() > message.at;
      const signatures = [secret, isEarlierValid ? earlier_secret : null]
        .filter((encrypted) => encrypted !== null)
        .map((encrypted) =>
          new Signer(encryption.decrypt(encrypted)).sign(message.id, new Date(message.at), message.body),
        );
      return {
        'webhook-id': message.id,
        'webhook-timestamp': String(Math.floor(message.at / 1000)),
        'webhook-signature': signatures.join(' '),
      };
    },
  };
}
