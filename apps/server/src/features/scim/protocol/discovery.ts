/** Service discovery (RFC 7643, sections 5 to 7), limited to the supported features. */
import { groupSchema, userSchema } from './resources.ts';

/** Resources per page. */
export const pageMaximum = 200;

type Attribute = {
  name: string;
  type: 'string' | 'boolean' | 'complex' | 'reference';
  multiValued: boolean;
  description: string;
  required: boolean;
  mutability: 'readWrite' | 'readOnly' | 'immutable';
  returned: 'default';
  caseExact?: boolean;
  uniqueness?: 'none' | 'server';
  referenceTypes?: string[];
  subAttributes?: Attribute[];
};

const attribute = (name: string, description: string, more: Partial<Attribute> = {}): Attribute => ({
  name,
  type: 'string',
  multiValued: false,
  description,
  required: false,
  mutability: 'readWrite',
  returned: 'default',
  ...((more.type ?? 'string') === 'string' && { caseExact: false, uniqueness: 'none' }),
  ...more,
});

const externalId = attribute('externalId', 'The id that the directory has for it.', { caseExact: true });

const schemas = [
  {
    id: userSchema,
    name: 'User',
    description: 'A user of the directory with access to this site.',
    attributes: [
      attribute('userName', 'What the directory calls them; one user has it.', {
        required: true,
        uniqueness: 'server',
      }),
      externalId,
      attribute('name', 'Their name, in parts.', {
        type: 'complex',
        subAttributes: [
          attribute('formatted', 'The whole name.'),
          attribute('familyName', 'The family name.'),
          attribute('givenName', 'The given name.'),
        ],
      }),
      attribute('displayName', 'What they are called in mails.'),
      attribute('active', 'Whether they may be inside.', { type: 'boolean' }),
      attribute(
        'emails',
        'The address by which they are let in. One is kept: the primary one, or that of work.',
        {
          type: 'complex',
          multiValued: true,
          subAttributes: [
            attribute('value', 'The address.', { uniqueness: 'server' }),
            attribute('type', 'Always work.'),
            attribute('primary', 'Always true.', { type: 'boolean' }),
          ],
        },
      ),
    ],
  },
  {
    id: groupSchema,
    name: 'Group',
    description: 'A group of users. Administrators of this site say what it gives.',
    attributes: [
      attribute('displayName', 'What it is called; one group has it.', {
        required: true,
        uniqueness: 'server',
      }),
      externalId,
      attribute('members', 'Who is in it.', {
        type: 'complex',
        multiValued: true,
        subAttributes: [
          attribute('value', 'The id of a user.', { mutability: 'immutable' }),
          attribute('display', 'The userName.', { mutability: 'readOnly' }),
          attribute('type', 'Always User.', { mutability: 'immutable' }),
          attribute('$ref', 'The address of the user.', {
            type: 'reference',
            referenceTypes: ['User'],
            mutability: 'readOnly',
          }),
        ],
      }),
    ],
  },
];

export const schemaResources = (base: string) =>
  schemas.map((schema) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
    ...schema,
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${schema.id}` },
  }));

export const resourceTypes = (base: string) =>
  [
    { name: 'User', endpoint: '/Users', schema: userSchema, description: 'Users of the directory.' },
    { name: 'Group', endpoint: '/Groups', schema: groupSchema, description: 'Groups of users.' },
  ].map((type) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    id: type.name,
    ...type,
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${type.name}` },
  }));

export const serviceProviderConfig = (base: string) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: pageMaximum },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'The token of directory sync.',
      specUri: 'https://www.rfc-editor.org/rfc/rfc6750',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
});

export function listResponse(resources: unknown[], { total = resources.length, startIndex = 1 } = {}) {
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}
