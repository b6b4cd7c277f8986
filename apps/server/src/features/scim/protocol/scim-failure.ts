/** SCIM errors (RFC 7644, section 3.12). Administrators of the directory read the details in its logs. */
import { requestErrors } from '@vestibule/contract/request-errors';
import type { FastifyInstance } from 'fastify';
import { Failure } from '../../../platform/errors/failure.ts';
import { recordFailure } from '../../../platform/http/error-response.ts';

type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'
  | 'tooMany'
  | 'uniqueness';

/** RFC 7644, section 8.1. */
export const scimMedia = 'application/scim+json; charset=utf-8';

class ScimFailure extends Failure {
  readonly scimType: ScimType | undefined;

  constructor(status: number, message: string, scimType?: ScimType) {
    super({ code: `scim.${scimType ?? status}`, message, values: {} }, status, {});
    this.scimType = scimType;
  }
}

export const badRequest = (scimType: ScimType, message: string) => new ScimFailure(400, message, scimType);

export const unknownPath = (base: string) =>
  new ScimFailure(
    404,
    `There is nothing at this address. SCIM addresses start with ${base}, followed by /Users or /Groups.`,
  );

export const methodNotAllowed = (methods: string) =>
  new ScimFailure(405, `This address accepts the methods ${methods} only.`);

export const unknownResource = () => new ScimFailure(404, 'This resource does not exist or was deleted.');

/** Not 501: the server is not at fault. */
export const groupsUnsupported = () =>
  new ScimFailure(
    403,
    'The directory of an organization has users only. Turn off the provisioning of groups in the directory.',
  );

/** `index` is the violated unique index. */
export function uniquenessFailure(index: string): ScimFailure {
  const resource = index.includes('groups')
    ? 'group with this displayName'
    : `user with this ${index.includes('user_name') ? 'userName' : 'e-mail address'}`;
  return new ScimFailure(409, `There is another ${resource} already.`, 'uniqueness');
}

const tokenMissing =
  'The token is missing: send the header "Authorization: Bearer vsd_…" with the directory token.';

/** Formats all errors of `scope` as SCIM errors, including internal ones. */
export function sendScimFailures(scope: FastifyInstance): void {
  scope.setErrorHandler<Error>((error, request, reply) => {
    const failure = recordFailure(error, request, reply);
    const scimType =
      failure instanceof ScimFailure
        ? failure.scimType
        : failure.text.code === 'request.malformed'
          ? 'invalidSyntax'
          : undefined;
    return reply
      .code(failure.status)
      .headers({ 'content-type': scimMedia, 'cache-control': 'no-store' })
      .send(
        JSON.stringify({
          schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
          status: String(failure.status),
          ...(scimType && { scimType }),
          detail: failure.text.code === requestErrors.signInNeeded.code ? tokenMissing : failure.text.message,
        }),
      );
  });
}
