/** Reads the issuer, client id and secret that a manager has entered. */
import { connectionTexts } from '@vestibule/contract/organizations/connection';
import { requestErrors } from '@vestibule/contract/request-errors';
import { createMessage, type Message } from '@vestibule/contract/texts/text';
import { isEntraForAll, isIssuer } from '../../../platform/config/oidc-providers.ts';
import { fail } from '../../../platform/errors/failure.ts';
import { UnsafeAddress } from '../../../platform/http/outbound-http.ts';

type Body = { issuer: string; clientId: string; secret?: string | undefined };

/** Understands the address of the metadata instead of the issuer. Throws a Failure with the problem of each field. */
export async function readConnectionBody(
  body: Body,
  options: {
    needsSecret: boolean;
    allowsPrivate: boolean;
    checkAddress: (address: string) => Promise<void>;
  },
): Promise<Body> {
  const issuer = body.issuer.trim().replace(/\/\.well-known\/openid-configuration$/, '');
  const secret = body.secret?.trim() || undefined;
  const fields: Record<string, Message> = {};
  const problem = await findIssuerProblem(issuer, options);
  if (problem) fields['issuer'] = problem;
  if (body.clientId === '') fields['clientId'] = createMessage(connectionTexts.clientIdMissing);
  if (options.needsSecret && secret === undefined)
    fields['secret'] = createMessage(connectionTexts.secretMissing);
  if (Object.keys(fields).length > 0) throw fail(requestErrors.invalid, { fields });
  return { issuer, clientId: body.clientId, secret };
}

async function findIssuerProblem(
  issuer: string,
  { allowsPrivate, checkAddress }: Parameters<typeof readConnectionBody>[1],
): Promise<Message | null> {
  if (!isIssuer(issuer) || (!allowsPrivate && !issuer.startsWith('https:')))
    return createMessage(connectionTexts.issuerInvalid);
  if (isEntraForAll(issuer)) return createMessage(connectionTexts.issuerOfAllTenants);
  try {
    await checkAddress(issuer);
    return null;
  } catch (error) {
    if (!(error instanceof UnsafeAddress)) throw error;
    return createMessage(connectionTexts.issuerPrivate);
  }
}
