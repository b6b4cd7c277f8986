/** Software authenticator (ES256; WebAuthn Level 3, sections 6.1 and 6.5) with configurable errors. */
import { createHash, createSign, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';
import type {
  AuthenticationResponse,
  CreationOptions,
  RegistrationResponse,
  RequestOptions,
} from '@vestibule/contract/sign-in/web-authn';

type StoredPasskey = { id: string; rpId: string; handle: string; privateKey: KeyObject; counter: number };

export type Deviation = Partial<{
  origin: string;
  rpId: string;
  challenge: string;
  type: string;
  crossOrigin: boolean;
  isPresent: boolean;
  isVerified: boolean;
  isBackupEligible: boolean;
  isBackedUp: boolean;
  counter: number;
  handle: string | undefined;
  id: string;
  algorithm: number;
  signature: string;
}>;

const flag = { present: 0x01, verified: 0x04, backupEligible: 0x08, backedUp: 0x10, attested: 0x40 };

export type TestAuthenticator = ReturnType<typeof createTestAuthenticator>;

export function createTestAuthenticator(
  settings: { origin?: string; aaguid?: string; counts?: boolean; isSynced?: boolean } = {},
) {
  const { origin = 'https://portal.example.com', aaguid = '00000000-0000-0000-0000-000000000000' } = settings;
  const isSynced = settings.isSynced ?? true;
  const passkeys: StoredPasskey[] = [];

  function authenticatorData(rpId: string, counter: number, wrong: Deviation, attested?: Buffer): Buffer {
    const isSet = {
      present: wrong.isPresent ?? true,
      verified: wrong.isVerified ?? true,
      backupEligible: wrong.isBackupEligible ?? isSynced,
      backedUp: wrong.isBackedUp ?? isSynced,
      attested: attested !== undefined,
    };
    const flags = Object.entries(isSet).reduce(
      (sum, [name, on]) => sum + (on ? flag[name as keyof typeof flag] : 0),
      0,
    );
    const head = Buffer.alloc(5);
    head.writeUInt8(flags, 0);
    head.writeUInt32BE(wrong.counter ?? counter, 1);
    return Buffer.concat([hash(wrong.rpId ?? rpId), head, attested ?? Buffer.alloc(0)]);
  }

  const clientData = (type: string, challenge: string, wrong: Deviation) =>
    Buffer.from(
      JSON.stringify({
        type: wrong.type ?? type,
        challenge: wrong.challenge ?? challenge,
        origin: wrong.origin ?? origin,
        crossOrigin: wrong.crossOrigin ?? false,
      }),
    );

  return {
    held: passkeys,

    /** Throws if it has an excluded passkey. */
    create(options: CreationOptions, wrong: Deviation = {}): RegistrationResponse {
      if (options.excludeCredentials.some(({ id }) => passkeys.some((passkey) => passkey.id === id)))
        throw new DOMException('This device has one already.', 'InvalidStateError');
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
      const rawId = randomBytes(32);
      const id = rawId.toString('base64url');
      passkeys.push({ id, rpId: options.rp.id, handle: options.user.id, privateKey, counter: 0 });
      const key = isoCBOR.encode(
        new Map<number, number | Uint8Array>([
          [1, 2],
          [3, wrong.algorithm ?? -7],
          [-1, 1],
          [-2, bytes(x)],
          [-3, bytes(y)],
        ]),
      );
      const length = Buffer.alloc(2);
      length.writeUInt16BE(rawId.length);
      const attested = Buffer.concat([Buffer.from(aaguid.replaceAll('-', ''), 'hex'), length, rawId, key]);
      const attestation = isoCBOR.encode(
        new Map<string, unknown>([
          ['fmt', 'none'],
          ['attStmt', new Map()],
          ['authData', new Uint8Array(authenticatorData(options.rp.id, 0, wrong, attested))],
        ]) as Parameters<typeof isoCBOR.encode>[0],
      );
      return {
        id: wrong.id ?? id,
        rawId: wrong.id ?? id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: clientData('webauthn.create', options.challenge, wrong).toString('base64url'),
          attestationObject: Buffer.from(attestation).toString('base64url'),
          transports: ['internal', 'hybrid'],
        },
      };
    },

    /** Signs with the newest of the allowed passkeys. */
    get(options: RequestOptions, wrong: Deviation = {}): AuthenticationResponse {
      const allowed = options.allowCredentials?.map(({ id }) => id);
      const found = passkeys.filter(({ id }) => allowed === undefined || allowed.includes(id)).at(-1);
      if (!found) throw new DOMException('There is none here.', 'NotAllowedError');
      if (settings.counts) found.counter += 1;
      const data = authenticatorData(options.rpId, found.counter, wrong);
      const client = clientData('webauthn.get', options.challenge, wrong);
      const signature = createSign('sha256')
        .update(data)
        .update(createHash('sha256').update(client).digest())
        .sign(found.privateKey);
      const handle = 'handle' in wrong ? wrong.handle : found.handle;
      return {
        id: wrong.id ?? found.id,
        rawId: wrong.id ?? found.id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: wrong.signature ?? signature.toString('base64url'),
          ...(handle !== undefined && { userHandle: handle }),
        },
      };
    },
  };
}

const hash = (text: string) => createHash('sha256').update(text).digest();
const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'));
