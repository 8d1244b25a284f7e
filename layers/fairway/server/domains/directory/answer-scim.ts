// SCIM 2.0 (RFC 7643, 7644) as Okta and Entra ID use it: the users and groups of one organization.
import type { H3Event } from 'h3'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { checkInput, readBytes } from '#fairway/server/kernel/http/read-input'
import { limits } from '#fairway/server/kernel/limits/limits'
import { rateLimit } from '#fairway/server/kernel/limits/rate-limit'
import { findDirectoryOrg } from './directory'
import { directoryGroups } from './directory-groups'
import { directoryUsers } from './directory-people'
import { discovery } from './discovery'
import { ScimError } from './scim-error'
import { type Projection, projectionOf } from './scim-page'
import type { ScimDocument } from './scim-patch'
import type { ScimResource } from './scim-resource'

const MEDIA_TYPE = 'application/scim+json; charset=utf-8'
const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error'
const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'
/** Room for a group with 10,000 members. */
const MOST_BYTES = 2 * 1024 * 1024

interface ScimAnswer {
  status: number
  body?: object
}

/** Answers a request below the base address of SCIM. Every refusal has the form of RFC 7644 §3.12. */
export async function answerScim(app: App, event: H3Event, path: string, query: URLSearchParams): Promise<Response> {
  const { status, body } = await answer(app, event, path, query).catch(toRefusal)
  const headers = { 'content-type': MEDIA_TYPE, 'cache-control': 'no-store' }
  return new Response(body === undefined ? null : JSON.stringify(body), {
    status,
    headers: status === 401 ? { ...headers, 'www-authenticate': 'Bearer' } : headers,
  })
}

function toRefusal(error: unknown): ScimAnswer {
  if (!(error instanceof ScimError) && !(error instanceof AppError)) throw error
  if (error instanceof AppError && error.status >= 500) throw error
  const detail = error instanceof AppError ? (error.detail ?? error.message) : error.message
  const scimType = error instanceof ScimError ? error.scimType : undefined
  const status = error instanceof AppError && error.code === 'last-owner' ? 409 : error.status
  return {
    status,
    body: { schemas: [ERROR_SCHEMA], status: String(status), ...(scimType ? { scimType } : {}), detail },
  }
}

async function answer(app: App, event: H3Event, path: string, query: URLSearchParams): Promise<ScimAnswer> {
  const orgId = await findDirectoryOrg(app, event.node.req.headers.authorization)
  if (orgId === undefined) throw new ScimError('The token is not known.', undefined, 401)
  await rateLimit(app, limits.scimPerOrg, orgId)
  const [resource = '', id, ...more] = path.split('/')
  if (more.length > 0) throw notFound()
  const request = { orgId, id, query, projection: projectionOf(query) }
  if (resource.toLowerCase() === 'users') return answerResource(app, event, directoryUsers, request)
  if (resource.toLowerCase() === 'groups') return answerResource(app, event, directoryGroups, request)
  const document = event.method === 'GET' ? discovery(app, resource, id) : undefined
  if (!document) throw notFound()
  return { status: 200, body: document }
}

const notFound = (): ScimError => new ScimError('There is nothing at this address.', undefined, 404)

interface ScimRequest {
  orgId: string
  id?: string
  query: URLSearchParams
  projection: Projection
}

async function answerResource<Row>(
  app: App,
  event: H3Event,
  resource: ScimResource<Row>,
  request: ScimRequest,
): Promise<ScimAnswer> {
  const { method } = event
  const { orgId, id, query, projection } = request
  const documentOf = async (row: Row) => (await toDocuments(app, resource, [row], projection))[0]
  if (id === undefined) {
    if (method === 'GET') return listResources(app, resource, request)
    if (method !== 'POST') throw notAllowed()
    return { status: 201, body: await documentOf(await resource.add(app, orgId, await readDocument(event))) }
  }
  const row = await resource.require(app, orgId, id)
  if (method === 'GET') return { status: 200, body: await documentOf(row) }
  if (method === 'DELETE') {
    await resource.remove(app, row)
    return { status: 204 }
  }
  if (method !== 'PUT' && method !== 'PATCH') throw notAllowed()
  const change = method === 'PUT' ? resource.replace : resource.patch
  const changed = await change(app, row, await readDocument(event))
  if (method === 'PATCH' && resource.isLong && !query.has('attributes')) return { status: 204 }
  return { status: 200, body: await documentOf(changed) }
}

const notAllowed = (): ScimError => new ScimError('This method is not supported here.', undefined, 405)

async function toDocuments<Row>(app: App, resource: ScimResource<Row>, rows: readonly Row[], projection: Projection) {
  return (await resource.toDocuments(app, rows, projection)).map(projection.of)
}

async function listResources<Row>(app: App, resource: ScimResource<Row>, request: ScimRequest): Promise<ScimAnswer> {
  const { orgId, query, projection } = request
  const { rows, total, startIndex } = await resource.list(app, orgId, {
    filter: query.get('filter') ?? undefined,
    startIndex: numberOf(query.get('startIndex'), 1),
    count: numberOf(query.get('count'), 100),
  })
  const Resources = await toDocuments(app, resource, rows, projection)
  return {
    status: 200,
    body: { schemas: [LIST_SCHEMA], totalResults: total, startIndex, itemsPerPage: rows.length, Resources },
  }
}

function numberOf(text: string | null, missing: number): number {
  const number = text === null ? missing : Number(text)
  if (!Number.isInteger(number)) throw new ScimError('startIndex and count are whole numbers.', 'invalidValue')
  return number
}

async function readDocument(event: H3Event): Promise<ScimDocument> {
  const bytes = await readBytes(event, { maxBytes: MOST_BYTES })
  const document = parseDocument(bytes.toString('utf8'))
  if (!document) throw new ScimError('The body is a JSON object.', 'invalidSyntax')
  return checkInput(document)
}

function parseDocument(text: string): ScimDocument | undefined {
  try {
    // A key that would change the prototype is no attribute.
    const document: unknown = JSON.parse(text, (key, value: unknown) => (key === '__proto__' ? undefined : value))
    return typeof document === 'object' && document !== null && !Array.isArray(document)
      ? Object.fromEntries(Object.entries(document))
      : undefined
  } catch {
    return undefined
  }
}
