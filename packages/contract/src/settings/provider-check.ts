import * as z from 'zod/mini';
import { requestErrors } from '../request-errors.ts';
import { defineRoute } from '../route.ts';
import { defineTexts, Message } from '../texts/text.ts';
import { Moment } from '../values.ts';

export const providerTopics = defineTexts('provider_topic', {
  encryption: 'Encryption',
  signInPolicy: 'Sign-in policy',
  signUpPolicy: 'Sign-up policy',
  resetPasswordPolicy: 'Password-reset policy',
  policyNames: 'Separate policies',
  issuer: 'Issuer',
  endpoints: 'Addresses in the metadata',
  abilities: 'Capabilities of the sign-in service',
  keys: 'Signing keys',
  clock: 'Clock',
  client: 'Client id',
  redirect: 'Redirect address',
  scopes: 'Scopes',
  audience: 'Token audience',
  tokenTimes: 'Token times',
  signInMoment: 'Time of sign-in',
  publicAddress: 'Public address',
  ourMetadata: 'Invitations, as the sign-in service reads them',
  oidcMetadata: '{provider}: metadata',
  oidcIssuer: '{provider}: issuer',
  oidcKeys: '{provider}: signing keys',
  oidcClock: '{provider}: clock',
  oidcScopes: '{provider}: scopes',
  oidcCredentials: '{provider}: client id and secret',
});

export const probeTexts = defineTexts('provider_visit', {
  foreignRedirect: '{address}: redirects to {host}, which is not followed',
  circles: '{address}: redirects in a loop',
  status: '{address}: responds with status {status}',
  notJson: '{address}: the response is not JSON',
  timeout: '{address}: no response within 4 seconds',
  noHost: '{address}: host not found',
  refused: '{address}: connection refused',
  noWay: '{address}: no route from this server',
  certificateExpired: '{address}: the certificate has expired',
  certificateHost: '{address}: the certificate is for another host',
  certificateTrust: '{address}: the certificate is from an authority that this server does not trust',
  noEncryption: '{address}: an encrypted connection cannot be established',
  brokenOff: '{address}: the connection is closed',
  tooLarge: '{address}: the response is far too large',
  unreachable: '{address}: cannot be reached',
});

export const providerFacts = defineTexts('provider_fact', {
  /** A name, an address or a text from the sign-in service. */
  asIs: '{value}',
  embedded: 'the embedded sign-in service, for development',
  ownService: 'a sign-in service of your own, on https',
  plainHttp: 'http: passwords could be intercepted',
  unknownPolicy: 'the sign-in service knows no policy {policy} in the tenant {tenant}',
  metadataAt: 'metadata at {address}',
  notMetadata: 'a response that is not the metadata of a sign-in service',
  policyThere: '{policy} exists',
  aPolicy: 'a policy {policy}',
  resetComesIn: 'the password-reset policy is also used to sign in, so a reset token would open the site',
  openSignUp: 'sign-in and sign-up are one policy, so people can sign up without an invitation',
  threePolicies: 'three policies',
  differentIssuers: 'different ones: {list}',
  foreignIssuer: 'the metadata names {issuer}, but a token of {time} named {other} and was refused',
  oneIssuer: 'one issuer for all policies, the same as in tokens',
  allAt: 'all at {origin}',
  elsewhere: 'other addresses: {list}',
  allAtForBrowsers: 'all at {origin}, because browsers may connect only there',
  allAbilities: 'everything required',
  lacking: 'missing: {list}',
  abilities: 'response type code, signatures RS256',
  noKeyAtAll: 'no keys',
  noKeyUsable: '{count} keys, none of them usable',
  unpublishedKey: 'the key {key} of a token of {time} is no longer published',
  oneKey: 'one key: {key}',
  someKeys: '{count} keys: {list}',
  rsaKeys: 'RSA keys with key ids, of 2048 bits or more',
  noTime: 'the sign-in service does not tell its time',
  behind: 'this server is {seconds} s behind',
  ahead: 'this server is {seconds} s ahead',
  closeTogether: 'less than 10 seconds apart',
  knownClient: 'an application known to the sign-in service',
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
  earlyToken: 'a token of {time} was refused because it was not valid yet',
  timelyTokens: 'tokens that are valid when used',
  noToken: 'this server has seen no token since it started',
  token: 'a token of {time} was for {audience}, with {scopes}',
  noSignInMoment: 'a token of {time} does not say when the person signed in',
  signInMoment: 'tokens with the claim auth_time',
  privateAddress: '{address}, which the sign-in service cannot reach',
  plainAddress: '{address}, which the sign-in service cannot trust',
  publicAddress: 'an https address that can be reached from the internet',
  otherIssuer: 'issuer {issuer}: another program answers there, or another PUBLIC_URL',
  issuerAt: 'issuer {issuer} at {address}',
  ourKey: 'issuer {issuer}, one key',
  ourKeys: 'issuer {issuer}, {count} keys',
  noKeysAt: '{address}: no keys',
  otherKeys: "other keys than this server's: {list} is missing",
  invitationKeys: 'the keys that sign invitations',
});

export const providerAdvice = defineTexts('provider_advice', {
  nameOwnService: 'Before real people sign in, set AUTH_BASE_URL and the related variables.',
  useHttps: 'Use https:// in AUTH_BASE_URL.',
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
  correctRelyingParty: 'Correct the relying party of these policies.',
  reachOidc: 'Correct {variable}, and make sure that this server can reach it (name, firewall, certificate).',
  takeIssuer: 'Set {variable} to exactly {issuer}.',
  publishKeys: 'The provider publishes no signing key. Ask its operator.',
  correctOidcScopes: 'Correct {variable}, or offer these scopes at the provider.',
  correctCredentials:
    'Compare {prefix}_CLIENT_ID, {prefix}_CLIENT_SECRET and {prefix}_AUTH_METHOD with what is registered there; the secret may have expired.',
  reachKeys: 'The server must be able to reach this address. Known keys keep working until then.',
  uploadKey: 'Upload a signing key of 2048 bits to the policies (B2C_1A_TokenSigningKeyContainer).',
  keepOldKey:
    'This is expected after a key rotation. Otherwise, keep the old key published until its tokens have expired.',
  compareClock: "Compare this server's clock with another one.",
  networkTime:
    "Set this server's clock from the network (NTP). Beyond 60 seconds, tokens and invitations are refused.",
  compareRegistration:
    'Compare the redirect address registered at the sign-in service (single-page application) with {address}, including the slash.',
  correctClient: 'Correct CLIENT_ID, or TENANT_NAME if it belongs to another tenant.',
  register:
    'Register exactly {address} at the sign-in service, as a redirect address of a single-page application.',
  correctScopes: 'Correct API_SCOPES, or expose the scope and grant it to the application.',
  correctAudience:
    'Set API_AUDIENCE to the client id that tokens are for, or set API_SCOPES to the scope of the right API.',
  compareClocks: 'Compare the clocks of this server and the sign-in service.',
  signInOnce: 'Sign in once, then check again.',
  tellSignInMoment:
    'Have the policies include auth_time in access tokens. Without it, people who are signed out everywhere can return with a renewed token.',
  setPublicUrl: 'Set PUBLIC_URL to the address that people open.',
  passMetadata: "Set PUBLIC_URL to this site's public address, and have your proxy forward /.well-known/.",
  samePublicUrl:
    'Set the same PUBLIC_URL on every server, and the issuer with its trailing slash in the policy.',
  passKeys: 'Have your proxy forward /.well-known/.',
  sameSecret:
    'Another installation responds at PUBLIC_URL, or a cache in between is outdated. All servers need the same DATABASE_URL and SECRET.',
});

export const ProviderFinding = z.object({
  topic: Message,
  outcome: z.enum(['ok', 'warning', 'failed']),
  found: Message,
  expected: Message,
  /** Correction of the problem; null for the outcome `ok`. */
  mend: z.nullable(Message),
});
export type ProviderFinding = z.output<typeof ProviderFinding>;

export const checkProvider = defineRoute('POST /api/settings/check-provider', {
  access: 'admin',
  summary:
    'Checks the connection between the sign-in service and this site, and reports problems and their solutions.',
  answer: z.object({
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
