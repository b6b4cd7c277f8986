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

const externalId = attribute('externalId', 'Identifier of the resource in the directory.', {
  caseExact: true,
});

const schemas = [
  {
    id: userSchema,
    name: 'User',
    description: 'A user of the directory with access to this site.',
    attributes: [
      attribute('userName', 'Unique name of the user in the directory.', {
        required: true,
        uniqueness: 'server',
      }),
      externalId,
      attribute('name', 'Components of the name.', {
        type: 'complex',
        subAttributes: [
          attribute('formatted', 'Full name.'),
          attribute('familyName', 'Family name.'),
          attribute('givenName', 'Given name.'),
        ],
      }),
      attribute('displayName', 'Name in e-mails.'),
      attribute('active', 'Whether the user has access.', { type: 'boolean' }),
      attribute(
        'emails',
        'Address for invitations and sign-in. One is stored: the primary or the work address.',
        {
          type: 'complex',
          multiValued: true,
          subAttributes: [
            attribute('value', 'E-mail address.', { uniqueness: 'server' }),
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
    description:
      'A group of users. Administrators of this site decide whether its members are administrators.',
    attributes: [
      attribute('displayName', 'Unique name of the group.', { required: true, uniqueness: 'server' }),
      externalId,
      attribute('members', 'Members of the group.', {
        type: 'complex',
        multiValued: true,
        subAttributes: [
          attribute('value', 'Id of a user.', { mutability: 'immutable' }),
          attribute('display', 'userName of the user.', { mutability: 'readOnly' }),
          attribute('type', 'Always User.', { mutability: 'immutable' }),
          attribute('$ref', 'URL of the user.', {
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

export const listResponse = (resources: unknown[], { total = resources.length, startIndex = 1 } = {}) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
  totalResults: total,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
});
