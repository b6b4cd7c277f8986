/**
 * What travels between the server and an authenticator by way of the browser, as WebAuthn Level 3 writes it in JSON (sections 5.1.8
 * to 5.1.10). `@simplewebauthn/browser` takes and gives it.
 */
import * as z from 'zod/mini';

const bytes = (maximum: number) =>
  z
    .string()
    .check(
      z.maxLength(maximum, 'This is not an authenticator response.'),
      z.regex(/^[\w-]+$/, 'This is not an authenticator response.'),
    );

/** An authenticator may choose up to 1,023 bytes (section 4). */
const credentialId = bytes(1_364);
const transports = z.optional(z.array(z.string().check(z.maxLength(40))).check(z.maxLength(10)));

const descriptor = z.object({ id: z.string(), type: z.literal('public-key'), transports });
const verification = z.literal('required');

/** For `startRegistration`. */
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

/** For `startAuthentication`. */
export const RequestOptions = z.object({
  rpId: z.string(),
  challenge: z.string(),
  timeout: z.number(),
  userVerification: verification,
  /** Left out, the authenticator offers what it has for this site. */
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

/** What `startRegistration` gives. */
export const RegistrationResponse = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: bytes(4_000),
    attestationObject: bytes(20_000),
    transports,
  }),
});
export type RegistrationResponse = z.output<typeof RegistrationResponse>;

/** What `startAuthentication` gives. */
export const AuthenticationResponse = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: bytes(4_000),
    authenticatorData: bytes(4_000),
    signature: bytes(2_000),
    /** Whose passkey it is. May be left out where passkeys were asked for by their ids. */
    userHandle: z.optional(bytes(100)),
  }),
});
export type AuthenticationResponse = z.output<typeof AuthenticationResponse>;
