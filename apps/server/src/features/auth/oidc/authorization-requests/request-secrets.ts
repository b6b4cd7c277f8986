/** What is derived for a sign-in from the server's secret, so that none of it is stored. */
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';

export function createTransactionSecrets(secret: Buffer) {
  /** As KeyObjects: raw keys would be prepared again for every HMAC. */
  const deriver = (purpose: string) => {
    const key = createSecretKey(createHmac('sha256', secret).update(purpose).digest());
    return (text: string | Buffer) => createHmac('sha256', key).update(text).digest();
  };
  const nonce = deriver('vestibule sign-in nonce');
  const verifier = deriver('vestibule sign-in verifier');
  const binder = deriver('vestibule sign-in binder');
  const code = deriver('vestibule proof of an address');
  const key = deriver('vestibule link that proves an address');
  const session = deriver('vestibule session of a sign-in');
  const challenge = deriver('vestibule passkey challenge');
  const handle = deriver('vestibule passkey user handle');

  return {
    secretsOf: (state: string) => ({
      nonce: nonce(state).toString('base64url'),
      verifier: verifier(state).toString('base64url'),
    }),

    /** What is kept of what only the browser knows. */
    binderHashOf: binder,

    /**
     * Value of the session cookie that a sign-in ends with: the same for each request of its callback, so that the browser can receive
     * it from any of them. Only the server can derive it, from values that only this browser has.
     */
    sessionValueOf: (state: string, ofBrowser: string): string =>
      session(`${state}.${ofBrowser}`).toString('base64url'),

    /** What an authenticator signs of a sign-in, and how it knows whoever is new. */
    challengeOf: (hash: Buffer): string => challenge(hash).toString('base64url'),
    handleOf: (hash: Buffer): string => handle(hash).toString('base64url'),

    /** The code that proves an address: of the newest mail of a sign-in. */
    codeOf,

    isCode: (hash: Buffer, mails: number, entered: string): boolean =>
      timingSafeEqual(Buffer.from(codeOf(hash, mails)), Buffer.from(entered)),

    /** What only the link of that mail has. */
    keyOf,

    isKey(hash: Buffer, mails: number, opened: string): boolean {
      const [right, given] = [Buffer.from(keyOf(hash, mails)), Buffer.from(opened)];
      return right.length === given.length && timingSafeEqual(right, given);
    },
  };

  function keyOf(hash: Buffer, mails: number): string {
    return key(Buffer.concat([hash, Buffer.from([mails])])).toString('base64url');
  }

  function codeOf(hash: Buffer, mails: number): string {
    const digits = code(Buffer.concat([hash, Buffer.from([mails])])).readUIntBE(0, 6) % 1_000_000;
    return String(digits).padStart(6, '0');
  }
}
