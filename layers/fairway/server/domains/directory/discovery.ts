// What a directory asks first (RFC 7643 §5–7): what this server can do, and the attributes of users and groups that it uses.
import type { App } from '#fairway/server/kernel/app-context'
import { SCIM_PREFIX } from '#fairway/shared/paths'
import { GROUP_SCHEMA } from './scim-group'
import { USER_SCHEMA } from './scim-user'

const CONFIG_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'
const TYPE_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType'
const SCHEMA_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Schema'
const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'

const listOf = (resources: readonly object[]) => ({
  schemas: [LIST_SCHEMA],
  totalResults: resources.length,
  startIndex: 1,
  itemsPerPage: resources.length,
  Resources: resources,
})

const attribute = (name: string, more: object = {}) => ({
  name,
  type: 'string',
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...more,
})

const USER_ATTRIBUTES = [
  attribute('userName', { required: true, uniqueness: 'server' }),
  attribute('externalId', { caseExact: true }),
  attribute('displayName'),
  attribute('active', { type: 'boolean' }),
  attribute('name', {
    type: 'complex',
    subAttributes: ['formatted', 'givenName', 'familyName'].map(name => attribute(name)),
  }),
  attribute('emails', {
    type: 'complex',
    multiValued: true,
    subAttributes: [attribute('value'), attribute('type'), attribute('primary', { type: 'boolean' })],
  }),
  attribute('groups', {
    type: 'complex',
    multiValued: true,
    mutability: 'readOnly',
    subAttributes: ['value', '$ref', 'display', 'type'].map(name => attribute(name, { mutability: 'readOnly' })),
  }),
]

const GROUP_ATTRIBUTES = [
  attribute('displayName', { required: true, uniqueness: 'server' }),
  attribute('externalId', { caseExact: true }),
  attribute('members', {
    type: 'complex',
    multiValued: true,
    subAttributes: [
      attribute('value', { required: true, caseExact: true, mutability: 'immutable' }),
      ...['$ref', 'display', 'type'].map(name => attribute(name, { mutability: 'readOnly' })),
    ],
  }),
]

const RESOURCES = [
  { name: 'User', schema: USER_SCHEMA, attributes: USER_ATTRIBUTES },
  { name: 'Group', schema: GROUP_SCHEMA, attributes: GROUP_ATTRIBUTES },
]

/** The document of a discovery address; undefined for other addresses. */
export function discovery({ config }: App, resource: string, id: string | undefined): object | undefined {
  const at = (path: string) => `${config.baseUrl}${SCIM_PREFIX}/${path}`
  const types = RESOURCES.map(({ name, schema }) => ({
    schemas: [TYPE_SCHEMA],
    id: name,
    name,
    endpoint: `/${name}s`,
    schema,
    meta: { resourceType: 'ResourceType', location: at(`ResourceTypes/${name}`) },
  }))
  const schemas = RESOURCES.map(({ name, schema, attributes }) => ({
    schemas: [SCHEMA_SCHEMA],
    id: schema,
    name,
    attributes,
    meta: { resourceType: 'Schema', location: at(`Schemas/${schema}`) },
  }))
  const documents: Partial<Record<string, object>> = {
    ServiceProviderConfig: {
      schemas: [CONFIG_SCHEMA],
      patch: { supported: true },
      bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
      filter: { supported: true, maxResults: 200 },
      changePassword: { supported: false },
      sort: { supported: false },
      etag: { supported: false },
      authenticationSchemes: [
        {
          type: 'oauthbearertoken',
          name: 'Token',
          description: 'The token of the directory as a bearer token.',
          primary: true,
        },
      ],
      meta: { resourceType: 'ServiceProviderConfig', location: at('ServiceProviderConfig') },
    },
    ResourceTypes: listOf(types),
    Schemas: listOf(schemas),
    ...Object.fromEntries([
      ...types.map(type => [`ResourceTypes/${type.id}`, type]),
      ...schemas.map(schema => [`Schemas/${schema.id}`, schema]),
    ]),
  }
  return documents[id === undefined ? resource : `${resource}/${id}`]
}
