/** Personal access tokens, with which programs call the API on behalf of an administrator. */
import * as z from 'zod/mini';
import { fieldTexts } from '../texts/field-texts.ts';
import { defineErrors, defineRoute } from '../route.ts';
import { tokenMaximumDays } from '../rules/limits.ts';
import { schemaMessage } from '../texts/text.ts';
import { Id, lineOfText, Moment, wholeNumber } from '../values.ts';

const scopes = [
  'invitations:read',
  'invitations:write',
  'people:read',
  'people:write',
  'administrators:write',
  'activity:read',
] as const;

/** Permission of a token. Routes that have no scope reject all tokens. */
export const Scope = z.enum(scopes, `A scope is one of: ${scopes.join(', ')}.`);
export type Scope = z.output<typeof Scope>;

const scopeRule = `A scope is one of: ${scopes.join(', ')}, or application:<id> for one application.`;

/** Scope that opens one protected application. A token with it has no other, because the application receives the token. */
const ApplicationScope = z
  .string()
  .check(z.regex(/^application:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, scopeRule));

export const TokenScope = z.union([Scope, ApplicationScope], scopeRule);
export type TokenScope = z.output<typeof TokenScope>;

/** Token prefix by which secret scanners find leaked tokens. */
export const tokenPrefix = 'vst_';

export const tokensPerPerson = 25;

export const tokenErrors = defineErrors('token', {
  401: { invalid: 'This access token is unknown, revoked or expired. Create a new one under Settings.' },
  403: {
    notUsableHere: 'This call cannot be made with an access token. Do it in the browser.',
    scopeMissing: 'This access token lacks the scope for this call. Create one that has it.',
  },
  404: {
    notFound: 'This access token does not exist or was removed.',
    applicationUnknown: 'The application of this scope does not exist or was removed.',
  },
  409: {
    tooMany: `You have reached the limit of ${tokensPerPerson} active access tokens. Revoke one you no longer need first.`,
  },
});

export const tokenCallErrors = [tokenErrors.invalid, tokenErrors.notUsableHere, tokenErrors.scopeMissing];

export const PersonalToken = z.object({
  id: Id,
  name: z.string(),
  owner: z.string(),
  scopes: z.array(TokenScope),
  /** `suspended`: the owner is disabled, no administrator any more, or no member of the token's organization. */
  state: z.enum(['active', 'suspended', 'expired', 'revoked']),
  createdAt: Moment,
  expiresAt: Moment,
  lastUsedAt: z.nullable(Moment),
  lastAddress: z.nullable(z.string()),
});
export type PersonalToken = z.output<typeof PersonalToken>;

export const listTokens = defineRoute('GET /api/tokens', {
  access: 'admin',
  summary: 'The personal access tokens of all administrators, newest first, and when each was last used.',
  response: z.object({ rows: z.array(PersonalToken) }),
});

export const NewToken = z.strictObject({
  name: lineOfText(100).check(z.minLength(1, schemaMessage(fieldTexts.tokenPurposeMissing))),
  scopes: z.array(TokenScope, 'Scopes are a list of texts.').check(
    z.minLength(1, schemaMessage(fieldTexts.scopeMissing)),
    z.maxLength(Scope.options.length, 'Choose each scope once.'),
    z.refine(
      (list) => list.length === 1 || list.every((scope) => !scope.startsWith('application:')),
      'A token for an application has no other scope, because the application receives it.',
    ),
  ),
  days: wholeNumber([1, tokenMaximumDays], fieldTexts.wholeDays),
});

export const createToken = defineRoute('POST /api/tokens', {
  access: 'admin',
  requiresRecentAuth: true,
  summary: 'Creates a personal access token for the caller. It is shown only in this response.',
  body: NewToken,
  response: z.object({ token: z.string(), details: PersonalToken }),
  errors: [tokenErrors.tooMany, tokenErrors.applicationUnknown],
});

export const revokeToken = defineRoute('POST /api/tokens/:tokenId/revoke', {
  access: 'admin',
  summary: "Revokes a token, including another administrator's. Its next call is refused.",
  params: z.object({ tokenId: Id }),
  response: PersonalToken,
  errors: [tokenErrors.notFound],
});
