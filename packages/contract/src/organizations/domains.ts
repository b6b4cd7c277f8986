/** E-mail domains that an organization has proven by a DNS record, and how people with such an address join. */
import * as z from 'zod/mini';
import { organizationErrors } from '../organizations.ts';
import { defineErrors, defineRoute, errorsOf } from '../route.ts';
import { defineTexts } from '../texts/text.ts';
import { Id, Moment, pathText, rawText } from '../values.ts';
import { organizationPermissions, RoleId } from './permissions.ts';

export const domainsMaximum = 50;

export const domainErrors = defineErrors('domain', {
  404: { notFound: 'The organization has no such domain.' },
  409: {
    exists: 'The organization has this domain already.',
    taken: 'Another organization of this site has verified this domain. Ask the administrators of this site.',
    tooMany: `An organization has at most ${domainsMaximum} domains. Remove one first.`,
    managerRole: 'People who join by their address cannot become managers. Choose another role.',
  },
  429: {
    checkedTooOften:
      'This domain was checked too often. Try again in an hour: new DNS records can take hours to appear.',
  },
  503: { lookupFailed: 'The DNS server of this domain did not answer. Try again in a minute.' },
});

export const domainTexts = defineTexts('domain_name', {
  invalid: 'Enter a domain such as example.com.',
  publicMail: '{domain} is a public mail service. Enter a domain that belongs to the organization.',
});

/** `failing`: the record was verified, but was missing at the last check. After a week, the domain is `pending` again. */
export const DomainState = z.enum(['pending', 'verified', 'failing']);
export type DomainState = z.output<typeof DomainState>;

/**
 * Enrolment of people with a verified address of the domain. `request`: they ask, and a manager approves. `automatic`: new users join when
 * they sign in; users who have an account join by one click.
 */
export const Enrolment = z.enum(
  ['invitation', 'request', 'automatic'],
  'An enrolment is invitation, request or automatic.',
);
export type Enrolment = z.output<typeof Enrolment>;

export const OrganizationDomain = z.object({
  /** A-label in lower case. */
  domain: z.string(),
  state: DomainState,
  /** Name and value of the TXT record that proves the domain. */
  recordName: z.string(),
  recordValue: z.string(),
  enrolment: Enrolment,
  /** Role of people who join automatically; with `request`, the suggested role. */
  roleId: z.string(),
  createdAt: Moment,
  createdBy: z.nullable(z.string()),
  verifiedAt: z.nullable(Moment),
  failingSince: z.nullable(Moment),
  checkedAt: z.nullable(Moment),
});
export type OrganizationDomain = z.output<typeof OrganizationDomain>;

const organizationParams = z.object({ organizationId: Id });
const domainParams = z.object({ organizationId: Id, domain: pathText(253) });
const access = { permission: organizationPermissions.writeDomains.name };

export const listDomains = defineRoute('GET /api/organizations/:organizationId/domains', {
  access,
  summary: 'Domains of an organization, with the DNS records that prove them.',
  params: organizationParams,
  response: z.object({ rows: z.array(OrganizationDomain) }),
});

export const addDomain = defineRoute('POST /api/organizations/:organizationId/domains', {
  access,
  summary: 'Adds a domain, which a DNS record must then prove.',
  params: organizationParams,
  body: z.strictObject({ domain: rawText(320) }),
  response: OrganizationDomain,
  errors: [domainErrors.exists, domainErrors.tooMany],
});

export const verifyDomain = defineRoute('POST /api/organizations/:organizationId/domains/:domain/verify', {
  access,
  summary: 'Looks up the DNS record of a domain. `found` contains the TXT records of its name (at most 10).',
  params: domainParams,
  response: z.extend(OrganizationDomain, { found: z.array(z.string()) }),
  errors: errorsOf(domainErrors, 'notFound', 'taken', 'checkedTooOften', 'lookupFailed'),
});

export const changeDomain = defineRoute('PATCH /api/organizations/:organizationId/domains/:domain', {
  access,
  summary: 'Changes how people with an address of the domain join, and their role.',
  params: domainParams,
  body: z.strictObject({ enrolment: Enrolment, roleId: z._default(RoleId, 'member') }),
  response: OrganizationDomain,
  errors: [
    ...errorsOf(domainErrors, 'notFound', 'managerRole'),
    ...errorsOf(organizationErrors, 'roleNotFound', 'roleTooHigh'),
  ],
});

export const removeDomain = defineRoute('DELETE /api/organizations/:organizationId/domains/:domain', {
  access,
  summary: 'Removes a domain. Members stay.',
  params: domainParams,
  response: z.object({ domain: z.string() }),
  errors: [domainErrors.notFound],
});
