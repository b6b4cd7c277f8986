/** Secrets of webhooks: made here, kept sealed, and used for signing by Standard Webhooks. */
import { randomBytes } from 'node:crypto';
import { secretOverlapHours } from '@vestibule/contract/webhooks';
import { Webhook as Signer } from 'standardwebhooks';
import { createEncryption } from '../../platform/identity/encryption.ts';

/** Standard Webhooks asks for 24 to 64. */
const secretBytes = 32;

/** What is stored of the secrets of one webhook. */
export type KeptSecrets = {
  secret: Buffer;
  earlier_secret: Buffer | null;
  earlier_secret_until: Date | null;
};

export type WebhookSecrets = ReturnType<typeof createWebhookSecrets>;

export function createWebhookSecrets(secretOfServer: Buffer) {
  const seal = createEncryption(secretOfServer, 'vestibule webhook secrets');
  return {
    /** As it is shown once, and as it is stored. */
    make(): { secret: string; kept: Buffer } {
      const secret = `whsec_${randomBytes(secretBytes).toString('base64')}`;
      return { secret, kept: seal.close(secret) };
    },

    earlierUntil: (now: number) => new Date(now + secretOverlapHours * 3_600_000),

    /** The headers by which a receiver knows that a message is ours; signed with both secrets while one replaces the other. */
    sign(
      { secret, earlier_secret, earlier_secret_until }: KeptSecrets,
      message: { id: string; body: string; at: number },
    ): Record<string, string> {
      const isEarlierValid = earlier_secret_until !== null && earlier_secret_until.getTime() > message.at;
      const signatures = [secret, isEarlierValid ? earlier_secret : null]
        .filter((one) => one !== null)
        .map((one) => new Signer(seal.open(one)).sign(message.id, new Date(message.at), message.body));
      return {
        'webhook-id': message.id,
        'webhook-timestamp': String(Math.floor(message.at / 1000)),
        'webhook-signature': signatures.join(' '),
      };
    },
  };
}
