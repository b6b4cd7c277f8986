/** "Check the provider": what is looked at, and all that can be found, expected and advised. */
import * as z from 'zod/mini';
import { requestErrors } from '../request-errors.ts';
import { defineRoute } from '../route.ts';
import { defineTexts, Text } from '../texts/text.ts';
import { Moment } from '../values.ts';

/** What was looked at. */
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

/** Why an address gave nothing to read. */
export const visitTexts = defineTexts('provider_visit', {
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

/** What was found, or expected. */
export const providerFacts = defineTexts('provider_fact', {
  /** A name or an address, or what the sign-in service says itself. */
  asIs: '{value}',
  embedded: 'the embedded sign-in service, for development',
  ownService: 'a sign-in service of your own, on https',
  plainHttp: 'http: passwords could be read on their way',
  unknownPolicy: 'the sign-in service knows no policy {policy} in the tenant {tenant}',
  metadataAt: 'metadata at {address}',
  notMetadata: 'an answer that is not the metadata of a sign-in service',
  policyThere: '{policy} exists',
  aPolicy: 'a policy {policy}',
  resetComesIn: 'the password-reset policy is also used to come in, so a reset token would open the site',
  openSignUp: 'sign-in and sign-up are one policy, so people can sign up without an invitation',
  threePolicies: 'three policies',
  differentIssuers: 'different ones: {list}',
  foreignIssuer: 'the metadata names {issuer}, but a token of {time} named {other} and was refused',
  oneIssuer: 'one issuer for all policies, the one that tokens name',
  allAt: 'all at {origin}',
  elsewhere: 'elsewhere: {list}',
  allAtForBrowsers: 'all at {origin}, since browsers may only connect there',
  allAbilities: 'everything required',
  lacking: 'missing: {list}',
  abilities: 'response type code, signatures RS256',
  noKeyAtAll: 'no keys',
  noKeyUsable: '{count} keys, none of them usable',
  unpublishedKey: 'the key {key} of a token of {time} is no longer published',
  oneKey: 'one key: {key}',
  someKeys: '{count} keys: {list}',
  rsaKeys: 'RSA keys with key ids, of 2048 bits or more',
  noTime: 'the sign-in service does not say what time it has',
  behind: 'this server is {seconds} s behind',
  ahead: 'this server is {seconds} s ahead',
  closeTogether: 'less than 10 seconds apart',
  knownClient: 'an application that the sign-in service knows',
  clientCalled: 'an application with the id {client}',
  registered: '{address} is registered',
  notAccepted: 'it is refused',
  credentialsTaken: 'they are right: a made-up code was refused for being none',
  signingKeys: 'at least one key that signs',
  unknownAnswer: 'the sign-in service answers with status {status} and no error that is known here',
  foreignToken: 'a token of {time} was for {audience} and was refused',
  earlyToken: 'a token of {time} was refused because it was not valid yet',
  timelyTokens: 'tokens that are valid when they are used',
  noToken: 'this server has seen no token since it started',
  token: 'a token of {time} was for {audience}, with {scopes}',
  noSignInMoment: 'a token of {time} does not say when its person signed in',
  signInMoment: 'tokens with the claim auth_time',
  privateAddress: '{address}, which the sign-in service cannot reach',
  plainAddress: '{address}, which the sign-in service cannot trust',
  publicAddress: 'an address on https that can be reached from the internet',
  otherIssuer: 'issuer {issuer}: another program answers there, or another PUBLIC_URL',
  issuerAt: 'issuer {issuer} at {address}',
  ourKey: 'issuer {issuer}, one key',
  ourKeys: 'issuer {issuer}, {count} keys',
  noKeysAt: '{address}: no keys',
  otherKeys: "other keys than this server's: {list} is missing",
  invitationKeys: 'the keys that sign invitations',
});

/** What mends it: the setting, here or at the provider. */
export const providerAdvice = defineTexts('provider_advice', {
  nameOwnService: 'Before real people come in, set AUTH_BASE_URL and the variables that belong to it.',
  useHttps: 'Begin AUTH_BASE_URL with https://.',
  correctPolicy: 'Correct {variable} or TENANT_NAME, or upload the policy.',
  reachProvider:
    'Correct AUTH_BASE_URL, and see that this server may reach it (name, firewall, certificate).',
  correctTenant: 'Correct AUTH_BASE_URL and TENANT_NAME: something else answers there.',
  nameResetPolicy: 'Name a policy of its own in RESET_PASSWORD_POLICY.',
  nameSignUpPolicy: 'Name the policy that asks for an invitation in SIGN_UP_POLICY.',
  unifyIssuer:
    'In the policies, take the issuer without the policy (token compatibility: "iss" as https://<domain>/<tenant id>/v2.0/).',
  alignIssuer:
    'Let AUTH_BASE_URL name the same domain as the sign-in pages, and all policies the same issuer.',
  alignDomain: 'Let AUTH_BASE_URL name the domain that the metadata names, such as your custom domain.',
  correctRelyingParty: 'Correct the relying party of these policies.',
  reachOidc: 'Correct {variable}, and see that this server may reach it (name, firewall, certificate).',
  takeIssuer: 'Set {variable} to {issuer}, letter by letter.',
  publishKeys: 'The provider publishes no key that signs. Ask whoever runs it.',
  correctOidcScopes: 'Correct {variable}, or offer these scopes at the provider.',
  correctCredentials:
    'Compare {prefix}_CLIENT_ID, {prefix}_CLIENT_SECRET and {prefix}_AUTH_METHOD with what is registered there; a secret may have ended.',
  reachKeys: 'The server must reach this address; known keys keep working meanwhile.',
  uploadKey: 'Upload a signing key of 2048 bits to the policies (B2C_1A_TokenSigningKeyContainer).',
  keepOldKey:
    'After a change of keys this is right. Else keep the old key published until its tokens have ended.',
  compareClock: 'Compare the clock of this server with another one.',
  networkTime:
    'Let this server take its time from the network (NTP). Beyond 60 seconds tokens and invitations are refused.',
  compareRegistration:
    'Compare what is registered at the sign-in service (single-page application) with {address}, slash included.',
  correctClient: 'Correct CLIENT_ID, or TENANT_NAME if it belongs to another tenant.',
  register:
    'Register {address} at the sign-in service, as an address of a single-page application, letter by letter.',
  correctScopes: 'Correct API_SCOPES, or expose the scope and grant it to the application.',
  correctAudience:
    'Set API_AUDIENCE to the client id that tokens are for, or let API_SCOPES name the scope of the right API.',
  compareClocks: 'Compare the clocks of this server and of the sign-in service.',
  signInOnce: 'Sign in once, then check again.',
  tellSignInMoment:
    'Let the policies put auth_time into access tokens. Without it, whoever is signed out everywhere comes back by a renewed token.',
  setPublicUrl: 'Set PUBLIC_URL to the address that people open.',
  passMetadata:
    'Let PUBLIC_URL name this site as it is seen from the internet, and your proxy pass /.well-known/ on.',
  samePublicUrl: 'Set the same PUBLIC_URL on every server, and in the policy the issuer with its slash.',
  passKeys: 'Let your proxy pass /.well-known/ on.',
  sameSecret:
    'Another installation answers at PUBLIC_URL, or a cache in between is old. All servers need the same DATABASE_URL and SECRET.',
});

/** One thing that was looked at. */
export const ProviderFinding = z.object({
  topic: Text,
  outcome: z.enum(['ok', 'warning', 'failed']),
  found: Text,
  expected: Text,
  /** Null where all is right. */
  mend: z.nullable(Text),
});
export type ProviderFinding = z.output<typeof ProviderFinding>;

export const checkProvider = defineRoute({
  method: 'POST',
  path: '/api/settings/check-provider',
  access: 'admin',
  summary:
    'Visits the sign-in service and this site as the other would, and says what is wrong and what mends it.',
  answer: z.object({
    at: Moment,
    findings: z.array(ProviderFinding),
    /** What has to be registered at which provider, letter by letter. */
    registrations: z.array(
      z.object({
        provider: z.string(),
        /** `page`: where B2C leads back to, a single-page application; the others are of a web application. */
        use: z.enum(['page', 'redirect', 'signed-out', 'backchannel-logout']),
        address: z.string(),
      }),
    ),
  }),
  errors: [requestErrors.tooMany],
});
