/**
 * Protected applications (statements S1 to S5): web applications behind a reverse proxy that asks `GET /forward-auth` for each request.
 * The check itself is not part of the API. The proxy also forwards the path `/.vestibule/` of each application to this site. `GET
 * /applications/start` on this site gives a signed-in browser access to an application. It redirects visitors who are not signed in to the
 * screen `/layout/open-application` with the same query. After the sign-in, that screen replaces itself by `/applications/start` with its
 * query, `signedIn=1`, and the fragment of its address as the parameter `fragment` (encoded, with the number sign).
 */
import * as z from 'zod/mini';
import { applicationAddressMaximum, applicationSummary } from './applications/open.ts';
import { fieldTexts } from './texts/field-texts.ts';
import { defineErrors, defineRoute } from './route.ts';
import { RoleId } from './organizations/permissions.ts';
import { Role } from './rules/role.ts';
import { schemaMessage, Message } from './texts/text.ts';
import { Id, lineOfText, Moment } from './values.ts';
import { kilobyte } from './texts/size.ts';

export const applicationsMaximum = 200;
const accessEntriesMaximum = 100;
export const applicationIconMaximumBytes = 32 * kilobyte;

export const applicationErrors = defineErrors(
  'application',
  {
    400: {
      iconUnusable: `This file cannot be used as an icon. Choose a PNG, JPEG or WebP image of at most ${applicationIconMaximumBytes / kilobyte} kB.`,
      notEncrypted:
        'Enter an address that begins with https://. Browsers store the sign-in only on encrypted pages.',
      siteHost:
        'This is the host of this site. Give the application another host name: cookies do not distinguish ports.',
      accessUnknown: 'An organization, role, group or person of this list does not exist, or was removed.',
    },
    403: {
      /** Answers of the check of a request. */
      unknownHost: 'This host is not registered as an application.',
      untrustedProxy:
        'This request does not come from a proxy in TRUST_PROXY, or the proxy does not send the address of the original request.',
      noAccess: 'You do not have access to this application. Ask an administrator.',
    },
    404: { notFound: 'This application does not exist or was removed.' },
    409: {
      addressTaken:
        'Another application has this host name. Give each application its own: cookies do not distinguish ports.',
      tooMany: `You have reached the limit of ${applicationsMaximum} applications. Remove one first.`,
      changed: 'This application was changed in the meantime. Review the change, then try again.',
    },
  },
  { notEncrypted: 'address', siteHost: 'address', addressTaken: 'address' },
);

const addressMessage = schemaMessage(fieldTexts.notAnApplicationAddress);

/** Origin of an application, such as `https://wiki.example.com`; stored in lower case and without the default port. */
const ApplicationAddress = z.string().check(
  z.trim(),
  z.maxLength(
    applicationAddressMaximum,
    schemaMessage(fieldTexts.tooLong, { maximum: applicationAddressMaximum }),
  ),
  z.refine((text) => {
    const url = URL.parse(text);
    return (
      url !== null &&
      /^https?:$/.test(url.protocol) &&
      url.username + url.password + url.search + url.hash === '' &&
      url.pathname === '/' &&
      // A final dot is another host for browsers.
      /[^.]$/.test(url.hostname)
    );
  }, addressMessage),
);

/** Users who may open an application. Users who match one entry of the list may; administrators of the site do not without one. */
const AccessEntry = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('everyone') }),
  z.strictObject({ kind: z.literal('siteRole'), role: Role }),
  /** Members of an organization, or of any if null; those with a role, or with any if null. */
  z.strictObject({
    kind: z.literal('organization'),
    organizationId: z.nullable(Id),
    roleId: z.nullable(RoleId),
  }),
  /** Group of the company directory (SCIM). */
  z.strictObject({ kind: z.literal('group'), groupId: Id }),
  z.strictObject({ kind: z.literal('person'), personId: Id }),
]);
export type AccessEntry = z.output<typeof AccessEntry>;

const accessList = z
  .array(AccessEntry, 'Access is a list of entries.')
  .check(z.maxLength(accessEntriesMaximum, `Enter at most ${accessEntriesMaximum} entries.`));

/** Entry with the names to display. Names are null if the entry names no such object; that of a built-in role is null too. */
export const NamedAccess = z.object({
  kind: z.enum(['everyone', 'siteRole', 'organization', 'group', 'person']),
  role: z.nullable(Role),
  organizationId: z.nullable(Id),
  organizationName: z.nullable(z.string()),
  roleId: z.nullable(z.string()),
  roleName: z.nullable(z.string()),
  groupId: z.nullable(Id),
  groupName: z.nullable(z.string()),
  personId: z.nullable(Id),
  personEmail: z.nullable(z.string()),
  personName: z.nullable(z.string()),
});
export type NamedAccess = z.output<typeof NamedAccess>;

export const Application = z.object({
  ...applicationSummary,
  access: z.array(NamedAccess),
  createdAt: Moment,
  createdBy: z.string(),
  /** Incremented with each change. */
  version: z.number(),
});
export type Application = z.output<typeof Application>;

const fields = {
  name: lineOfText(100).check(z.minLength(1, schemaMessage(fieldTexts.nameMissing))),
  address: ApplicationAddress,
  /** PNG, JPEG or WebP as base64; null for none. */
  icon: z.nullable(
    z
      .base64('Send the file as base64.')
      .check(
        z.maxLength(
          Math.ceil(applicationIconMaximumBytes / 3) * 4,
          schemaMessage(fieldTexts.iconTooLarge, { maximum: applicationIconMaximumBytes / kilobyte }),
        ),
      ),
  ),
};

const NewApplication = z.strictObject({
  name: fields.name,
  address: fields.address,
  icon: z._default(fields.icon, null),
  access: accessList,
});

export const listApplications = defineRoute('GET /api/applications', {
  access: 'admin',
  summary: 'The protected applications, by name, and who may open each.',
  response: z.object({
    rows: z.array(Application),
    /** Groups of the company directory, for the choice of who may open an application; at most 500. */
    groups: z.array(z.object({ id: Id, name: z.string() })),
  }),
});

const addressErrors = [
  applicationErrors.iconUnusable,
  applicationErrors.notEncrypted,
  applicationErrors.siteHost,
  applicationErrors.accessUnknown,
  applicationErrors.addressTaken,
] as const;

export const createApplication = defineRoute('POST /api/applications', {
  access: 'admin',
  summary: 'Registers an application.',
  body: NewApplication,
  response: Application,
  errors: [...addressErrors, applicationErrors.tooMany],
});

const applicationParams = z.object({ applicationId: Id });

export const changeApplication = defineRoute('PATCH /api/applications/:applicationId', {
  access: 'admin',
  summary:
    'Changes an application. Absent fields are not changed; `access` replaces the list. A new address ends the sign-ins at the old one.',
  params: applicationParams,
  body: z.strictObject({
    name: z.optional(fields.name),
    address: z.optional(fields.address),
    icon: z.optional(fields.icon),
    access: z.optional(accessList),
    /** Version that the change is based on. */
    version: z.optional(z.number().check(z.int(), z.minimum(1))),
  }),
  response: Application,
  errors: [applicationErrors.notFound, ...addressErrors, applicationErrors.changed],
});

export const deleteApplication = defineRoute('DELETE /api/applications/:applicationId', {
  access: 'admin',
  summary: 'Removes an application. Requests to its host are refused from then on.',
  params: applicationParams,
  response: z.object({ id: Id }),
  errors: [applicationErrors.notFound],
});

/**
 * Steps of the check of a set-up. `reachable`: the address answers. `path`: the proxy forwards `/.vestibule/` to this site. `proxy`: its
 * `X-Forwarded-*` headers count, and name the address. `protection`: a request without a sign-in does not reach the application.
 * `headers`: identity headers of the client are removed. `clock`: the clocks of the proxy and of this site agree.
 */
export const SetupStep = z.enum(['reachable', 'path', 'proxy', 'protection', 'headers', 'clock', 'signIn']);
export type SetupStep = z.output<typeof SetupStep>;

export const checkApplication = defineRoute('POST /api/applications/:applicationId/check', {
  access: 'admin',
  summary: 'Requests an application at its public address, and reports what its proxy lacks.',
  params: applicationParams,
  response: z.object({
    steps: z.array(
      z.object({
        step: SetupStep,
        /** `unknown`: an earlier step failed, or the proxy does not let this site see it. */
        state: z.enum(['ok', 'failed', 'unknown']),
        /** Explanation of a step that is not `ok`. */
        message: z.nullable(Message),
      }),
    ),
  }),
  errors: [applicationErrors.notFound],
});
