/** Encrypts secret values in the database: AES-256-GCM, with a key derived from the server's secret. */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

type Seal = {
  close(text: string): Buffer;
  /** Throws for what was closed for another purpose. */ open(sealed: Buffer): string;
};

const ivBytes = 12;
const tagBytes = 16;

/** Values encrypted for one `purpose` cannot be decrypted for another. */
export function createEncryption(secret: Buffer, purpose: string): Seal {
  const key = createHmac('sha256', secret).update(purpose).digest();
  return {
    close(text) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
    },
    open(sealed) {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, ivBytes));
      decipher.setAuthTag(sealed.subarray(ivBytes, ivBytes + tagBytes));
      return Buffer.concat([decipher.update(sealed.subarray(ivBytes + tagBytes)), decipher.final()]).toString(
        'utf8',
      );
    },
  };
}
