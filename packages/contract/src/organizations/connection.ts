/** Single sign-on of an organization: the OpenID Provider that signs in people with an address of its verified domains (R8). */
import * as z from 'zod/mini';
import { requestErrors } from '../request-errors.ts';
import { defineErrors, defineRoute, errorsOf } from '../route.ts';
import { ProviderFinding } from '../settings/provider-check.ts';
import { pageLanguage, returnTo, signInProblems } from '../sign-in.ts';
import { defineTexts, Message } from '../texts/text.ts';
import { Id, lineOfText, Moment, pathText, rawText } from '../values.ts';
import { organizationAccessErrors, organizationPermissions } from './permissions.ts';

export const connectionErrors = defineErrors('connection', {
  403: {
    notAllowed:
      'Single sign-on is not enabled for this organization. Ask the administrators of this site to enable it.',
    recoveryCodeWrong: 'This is not the recovery code of this organization. Check for typos.',
    addressOutside:
      '{provider} signed you in as {email}, which is not in a verified domain of {organization}. Sign in another way, or ask a manager of {organization}.',
    addressMissing:
      '{provider} did not report your e-mail address, or reported it as unverified. Ask a manager of {organization}.',
    siteAdministrator:
      'Administrators of this site do not sign in through an organization. Choose another sign-in method. If you have none, request a code by e-mail, or ask another administrator for a link that adds one.',
    otherAccount:
      'You already have an account on this site, but are not a member of {organization}. Sign in the way you did before.',
  },
  404: { notFound: 'This organization has no connection to a provider.' },
  409: {
    noDomain:
      'Verify a domain of this organization first: the provider can only sign in people of verified domains.',
    notTested: 'Test the connection first: sign in through it once.',
    active: 'Deactivate single sign-on before you change the issuer or the client ID.',
    secretRefused: 'The provider does not accept this secret. The previous one is still used.',
    inactive: 'Activate single sign-on first.',
    signInFirst:
      'Sign in through the provider first. This shows that you can still open the organization when it is the only way.',
    notRequired: 'Single sign-on is not required in this organization.',
  },
  429: {
    checkedTooOften: 'The provider was checked too often. Try again in a minute.',
    triedTooOften: 'Too many wrong recovery codes were entered. Try again in an hour.',
  },
});

export const connectionTexts = defineTexts('connection_field', {
  issuerInvalid:
    'Enter the issuer of the provider, an address that begins with https://, such as https://login.example.com.',
  issuerOfAllTenants:
    'Enter the issuer of the tenant, such as https://login.microsoftonline.com/<tenant id>/v2.0. With this one, people of every tenant could sign in.',
  issuerPrivate: 'This address is in a private network, which this site does not connect to.',
  clientIdMissing: 'Enter the client ID.',
  secretMissing: 'Enter the client secret.',
});

export const Connection = z.object({
  issuer: z.string(),
  clientId: z.string(),
  isActive: z.boolean(),
  /** Whether members can open the organization only after a sign-in through the connection. */
  isRequired: z.boolean(),
  /** Time of the last successful test, and the address that the provider reported; null after a change. */
  testedAt: z.nullable(Moment),
  testedAs: z.nullable(z.string()),
  /** Last sign-in that succeeded, and the last that failed at the provider. */
  lastSuccessAt: z.nullable(Moment),
  lastFailureAt: z.nullable(Moment),
  lastFailure: z.nullable(Message),
});
export type Connection = z.output<typeof Connection>;

const ConnectionState = z.object({
  /** Whether the site's administrators allow a connection for this organization. */
  isAllowed: z.boolean(),
  connection: z.nullable(Connection),
  /** Addresses to register at the provider, exactly as given. */
  registrations: z.array(
    z.object({ use: z.enum(['redirect', 'signed-out', 'backchannel-logout']), address: z.string() }),
  ),
  /** Domains whose addresses the provider may sign in. */
  domains: z.array(z.string()),
  /** Members whose address is in none of these domains: they cannot use the connection. */
  membersOutside: z.number(),
  /** Whether the caller has signed in through this connection. */
  isOwnSignIn: z.boolean(),
});
export type ConnectionState = z.output<typeof ConnectionState>;

const params = z.object({ organizationId: Id });
const access = { permission: organizationPermissions.writeConnection.name };

export const getConnection = defineRoute('GET /api/organizations/:organizationId/connection', {
  access,
  summary: 'The connection of an organization to its OpenID Provider, and what to register there.',
  params,
  response: ConnectionState,
});

export const putConnection = defineRoute('PUT /api/organizations/:organizationId/connection', {
  access,
  requiresRecentAuth: true,
  summary:
    'Connects an OpenID Provider, or changes the connection. Without a secret, the previous one is kept. The secret is stored encrypted and never returned.',
  params,
  body: z.strictObject({
    issuer: rawText(500),
    clientId: lineOfText(300),
    secret: z.optional(rawText(1_500)),
  }),
  response: ConnectionState,
  errors: errorsOf(connectionErrors, 'notAllowed', 'active', 'secretRefused', 'checkedTooOften'),
});

export const checkConnection = defineRoute('POST /api/organizations/:organizationId/connection/check', {
  access,
  summary: 'Checks the connection without a sign-in: metadata, issuer, keys, clock and client credentials.',
  params,
  response: z.object({ findings: z.array(ProviderFinding) }),
  errors: [connectionErrors.notFound, connectionErrors.notAllowed, connectionErrors.checkedTooOften],
});

export const testConnection = defineRoute('POST /api/organizations/:organizationId/connection/test', {
  access,
  summary: 'Starts a test sign-in, and returns the address to open. The caller stays signed in as before.',
  params,
  body: z.strictObject({ returnTo, language: pageLanguage }),
  response: z.object({ url: z.string() }),
  errors: [
    ...errorsOf(connectionErrors, 'notFound', 'notAllowed', 'noDomain'),
    signInProblems.providerDown,
    requestErrors.tooMany,
  ],
});

export const changeConnection = defineRoute('PATCH /api/organizations/:organizationId/connection', {
  access,
  requiresRecentAuth: true,
  summary:
    'Activates or deactivates a tested connection, or makes it the only way to open the organization. Deactivating ends the sessions that it started. `recoveryCode` is returned once.',
  params,
  body: z.strictObject({ isActive: z.optional(z.boolean()), isRequired: z.optional(z.boolean()) }),
  response: z.extend(ConnectionState, {
    /** Opens the organization again if the provider fails; null unless the connection became required. */
    recoveryCode: z.nullable(z.string()),
  }),
  errors: errorsOf(
    connectionErrors,
    'notFound',
    'notAllowed',
    'notTested',
    'noDomain',
    'inactive',
    'signInFirst',
  ),
});

export const deleteConnection = defineRoute('DELETE /api/organizations/:organizationId/connection', {
  access,
  requiresRecentAuth: true,
  summary: 'Removes the connection, and ends the sessions that it started.',
  params,
  response: z.object({ organizationId: Id }),
  errors: [connectionErrors.notFound],
});

const slugParams = z.object({ slug: pathText(100) });

export const signInToOrganization = defineRoute('POST /api/users/me/organizations/:slug/sign-in', {
  access: 'member',
  summary: 'Starts the sign-in that an organization of the caller requires.',
  params: slugParams,
  body: z.strictObject({ returnTo, language: pageLanguage }),
  response: z.object({ url: z.string() }),
  errors: [organizationAccessErrors.notFound, signInProblems.providerDown, requestErrors.tooMany],
});

export const recoverOrganization = defineRoute('POST /api/users/me/organizations/:slug/recover', {
  access: 'member',
  requiresRecentAuth: true,
  summary:
    'With the recovery code, a manager who cannot sign in through the provider ends the requirement to do so. The code works once.',
  params: slugParams,
  body: z.strictObject({ code: rawText(100) }),
  response: z.object({ organizationId: Id }),
  errors: [
    ...errorsOf(organizationAccessErrors, 'notFound', 'permissionNeeded'),
    ...errorsOf(connectionErrors, 'notRequired', 'recoveryCodeWrong', 'triedTooOften'),
  ],
});
