import * as z from 'zod/mini';
import { requestErrors } from '../request-errors.ts';
import { defineRoute } from '../route.ts';
import { defineTexts, Message } from '../texts/text.ts';
import { Moment } from '../values.ts';

export const providerTopics = defineTexts('provider_topic', {
  signInPolicy: 'Sign-in policy',
  signUpPolicy: 'Sign-up policy',
  resetPasswordPolicy: 'Password-reset policy',
  policyNames: 'Separate policies',
  issuer: 'Issuer',
  endpoints: 'Addresses in the metadata',
  keys: 'Signing keys',
  clock: 'Clock',
  client: 'Client ID',
  redirect: 'Redirect address',
  scopes: 'Scopes',
  audience: 'Token audience',
  ourMetadata: 'Invitations, as the sign-in service reads them',
  oidcMetadata: '{provider}: metadata',
  oidcIssuer: '{provider}: issuer',
  oidcKeys: '{provider}: signing keys',
  oidcClock: '{provider}: clock',
  oidcCredentials: '{provider}: client ID and secret',
});

export const probeTexts = defineTexts('provider_visit', {
  status: '{address}: responds with status {status}',
  notJson: '{address}: the response is not JSON',
  timeout: '{address}: no response within 4 seconds',
  noHost: '{address}: host not found',
  certificate: '{address}: the certificate is not accepted ({reason})',
  unreachable: '{address}: cannot be reached ({reason})',
});

export const providerFacts = defineTexts('provider_fact', {
  /** A name, an address or a text from the sign-in service. */
  asIs: '{value}',
  unknownPolicy: 'the sign-in service knows no policy {policy} in the tenant {tenant}',
  metadataAt: 'metadata at {address}',
  notMetadata: 'a response that is not the metadata of a sign-in service',
  policyThere: '{policy} exists',
  resetComesIn: 'the password-reset policy is also used to sign in, so a reset token would open the site',
  openSignUp: 'sign-in and sign-up are one policy, so people can sign up without an invitation',
  threePolicies: 'three policies',
  differentIssuers: 'different ones: {list}',
  foreignIssuer: 'the metadata names {issuer}, but a token of {time} named {other} and was refused',
  oneIssuer: 'one issuer for all policies, the same as in tokens',
  allAt: 'all at {origin}',
  elsewhere: 'other addresses: {list}',
  allAtForBrowsers: 'all at {origin}, because browsers may connect only there',
  noKeyUsable: '{count} keys, none of them usable',
  someKeys: 'keys: {list}',
  behind: 'this server is {seconds} s behind',
  ahead: 'this server is {seconds} s ahead',
  closeTogether: 'less than 10 seconds apart',
  clientCalled: 'an application with the id {client}',
  registered: '{address} is registered',
  notAccepted: 'refused',
  credentialsTaken: 'correct: a made-up code was refused as invalid',
  secretTaken: 'correct with {method}: a made-up code was refused as invalid',
  secretTakenUnencoded:
    'correct with {method} without percent-encoding: a made-up code was refused as invalid',
  signingKeys: 'at least one signing key',
  unknownAnswer: 'the sign-in service responds with status {status} and an unknown error',
  foreignToken: 'a token of {time} was for {audience} and was refused',
  noToken: 'this server has seen no token since it started',
  token: 'a token of {time} was for {audience}',
  otherIssuer: 'issuer {issuer}: another program answers there, or another PUBLIC_URL',
  issuerAt: 'issuer {issuer} at {address}',
  otherKeys: "other keys than this server's: {list} is missing",
});

export const providerAdvice = defineTexts('provider_advice', {
  correctPolicy: 'Correct {variable} or TENANT_NAME, or upload the policy.',
  reachProvider:
    'Correct AUTH_BASE_URL, and make sure that this server can reach it (name, firewall, certificate).',
  correctTenant: 'Correct AUTH_BASE_URL and TENANT_NAME: something else responds there.',
  nameResetPolicy: 'Set RESET_PASSWORD_POLICY to a separate policy.',
  nameSignUpPolicy: 'Set SIGN_UP_POLICY to the policy that requires an invitation.',
  unifyIssuer:
    'In the policies, use the issuer without the policy name (token compatibility: "iss" as https://<domain>/<tenant id>/v2.0/).',
  alignIssuer:
    'Set AUTH_BASE_URL to the domain of the sign-in pages, and use the same issuer in all policies.',
  alignDomain: 'Set AUTH_BASE_URL to the domain in the metadata, such as your custom domain.',
  reachOidc: 'Correct {variable}, and make sure that this server can reach it (name, firewall, certificate).',
  takeIssuer: 'Set {variable} to exactly {issuer}.',
  publishKeys: 'The provider publishes no signing key. Ask its operator.',
  correctCredentials:
    'Compare {prefix}_CLIENT_ID, {prefix}_CLIENT_SECRET and {prefix}_AUTH_METHOD with what is registered there; the secret may have expired.',
  reachIssuer:
    'Correct the issuer, and make sure that this server can reach it (name, firewall, certificate).',
  enterIssuer: 'Enter exactly {issuer} as the issuer.',
  correctClientOfConnection:
    'Compare the client ID and the secret with what is registered there; the secret may have expired.',
  reachKeys: 'The server must be able to reach this address. Known keys keep working until then.',
  uploadKey: 'Upload a signing key of 2048 bits to the policies (B2C_1A_TokenSigningKeyContainer).',
  networkTime:
    "Set this server's clock from the network (NTP). Beyond 60 seconds, tokens and invitations are refused.",
  compareRegistration:
    'Compare the redirect address registered at the sign-in service (single-page application) with {address}, including the slash.',
  correctClient: 'Correct CLIENT_ID, or TENANT_NAME if it belongs to another tenant.',
  register:
    'Register exactly {address} at the sign-in service, as a redirect address of a single-page application.',
  correctScopes: 'Correct API_SCOPES, or expose the scope and grant it to the application.',
  correctAudience:
    'Set API_AUDIENCE to the client ID that tokens are for, or set API_SCOPES to the scope of the right API.',
  signInOnce: 'Sign in once, then check again.',
  passMetadata: "Set PUBLIC_URL to this site's public address, and have your proxy forward /.well-known/.",
  samePublicUrl:
    'Set the same PUBLIC_URL on every server, and the issuer with its trailing slash in the policy.',
  sameSecret:
    'Another installation responds at PUBLIC_URL, or a cache in between is outdated. All servers need the same DATABASE_URL and SECRET.',
});

export const ProviderFinding = z.object({
  topic: Message,
  outcome: z.enum(['ok', 'warning', 'failed']),
  found: Message,
  expected: Message,
  /** Correction of the problem; null for the outcome `ok`. */
  remedy: z.nullable(Message),
});
export type ProviderFinding = z.output<typeof ProviderFinding>;

export const checkProvider = defineRoute('POST /api/settings/check-provider', {
  access: 'admin',
  summary:
    'Checks the connection between the sign-in service and this site, and reports problems and their solutions.',
  response: z.object({
    at: Moment,
    findings: z.array(ProviderFinding),
    /** Addresses to register at the providers, exactly as given. */
    registrations: z.array(
      z.object({
        provider: z.string(),
        /** `page` is the redirect address of a single-page application (B2C). The other uses belong to a web application. */
        use: z.enum(['page', 'redirect', 'signed-out', 'backchannel-logout']),
        address: z.string(),
      }),
    ),
  }),
  errors: [requestErrors.tooMany],
});
