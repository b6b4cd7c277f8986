/** Encrypts secret values in the database: AES-256-GCM, with a key derived from the server's secret. */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

const ivBytes = 12;
const tagBytes = 16;

/** Values encrypted for one `purpose` cannot be decrypted for another. */
export function createEncryption(secret: Buffer, purpose: string) {
  const key = createHmac('sha256', secret).update(purpose).digest();
  return {
    encrypt(text: string): Buffer {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), encrypted]);
    },
    /** Throws for a value encrypted for another purpose. */
    decrypt(encrypted: Buffer): string {
      const decipher = createDecipheriv('aes-256-gcm', key, encrypted.subarray(0, ivBytes));
      decipher.setAuthTag(encrypted.subarray(ivBytes, ivBytes + tagBytes));
      return Buffer.concat([
        decipher.update(encrypted.subarray(ivBytes + tagBytes)),
        decipher.final(),
      ]).toString('utf8');
    },
  };
}
