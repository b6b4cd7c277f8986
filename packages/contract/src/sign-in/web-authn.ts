/** JSON messages of WebAuthn Level 3 (sections 5.1.8 to 5.1.10), as used by `@simplewebauthn/browser`. */
import * as z from 'zod/mini';

const bytes = (maximum: number) =>
  z
    .string()
    .check(
      z.maxLength(maximum, 'This is not an authenticator response.'),
      z.regex(/^[\w-]+$/, 'This is not an authenticator response.'),
    );

/** Base64url of at most 1,023 bytes (section 4). */
const credentialId = bytes(1_364);
const transports = z.optional(z.array(z.string().check(z.maxLength(40))).check(z.maxLength(10)));

const descriptor = z.object({ id: z.string(), type: z.literal('public-key'), transports });
const verification = z.literal('required');

export const CreationOptions = z.object({
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  challenge: z.string(),
  pubKeyCredParams: z.array(z.object({ alg: z.number(), type: z.literal('public-key') })),
  timeout: z.number(),
  excludeCredentials: z.array(descriptor),
  authenticatorSelection: z.object({
    residentKey: z.literal('required'),
    requireResidentKey: z.literal(true),
    userVerification: verification,
  }),
  attestation: z.literal('none'),
});
export type CreationOptions = z.output<typeof CreationOptions>;

export const RequestOptions = z.object({
  rpId: z.string(),
  challenge: z.string(),
  timeout: z.number(),
  userVerification: verification,
  /** Passkeys to choose from. Default: all passkeys for this site. */
  allowCredentials: z.optional(z.array(descriptor)),
});
export type RequestOptions = z.output<typeof RequestOptions>;

const credential = {
  id: credentialId,
  rawId: credentialId,
  type: z.literal('public-key'),
  authenticatorAttachment: z.optional(z.string().check(z.maxLength(40))),
  clientExtensionResults: z._default(z.record(z.string(), z.unknown()), {}),
};

/** Result of `startRegistration`. */
export const RegistrationResponse = z.object({
  ...credential,
  response: z.object({ clientDataJSON: bytes(4_000), attestationObject: bytes(20_000), transports }),
});
export type RegistrationResponse = z.output<typeof RegistrationResponse>;

/** Result of `startAuthentication`. */
export const AuthenticationResponse = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: bytes(4_000),
    authenticatorData: bytes(4_000),
    signature: bytes(2_000),
    /** User handle of the passkey's owner. May be missing if `allowCredentials` was sent. */
    userHandle: z.optional(bytes(100)),
  }),
});
export type AuthenticationResponse = z.output<typeof AuthenticationResponse>;
