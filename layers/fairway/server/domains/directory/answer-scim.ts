// SCIM 2.0 (RFC 7643, 7644) as Okta and Entra ID use it: the users of one organization.
import type { H3Event } from 'h3'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { checkInput, readBytes } from '#fairway/server/kernel/http/read-input'
import { limits } from '#fairway/server/kernel/limits/limits'
import { rateLimit } from '#fairway/server/kernel/limits/rate-limit'
import { findDirectoryOrg } from './directory'
import { addPerson, changePerson, listPeople, removePerson, requirePerson } from './directory-people'
import { discovery } from './discovery'
import { ScimError } from './scim-error'
import { applyPatch, type ScimDocument } from './scim-patch'
import { toUserDocument } from './scim-user'

const MEDIA_TYPE = 'application/scim+json; charset=utf-8'
const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error'
const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'
const MOST_BYTES = 256 * 1024

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
  if (resource.toLowerCase() === 'users') return answerUsers(app, event, { orgId, id, query })
  const document = event.method === 'GET' ? discovery(app, resource, id) : undefined
  if (!document) throw notFound()
  return { status: 200, body: document }
}

const notFound = (): ScimError => new ScimError('There is nothing at this address.', undefined, 404)

interface Asked {
  orgId: string
  id?: string
  query: URLSearchParams
}

async function answerUsers(app: App, event: H3Event, { orgId, id, query }: Asked): Promise<ScimAnswer> {
  const { method } = event
  if (id === undefined) {
    if (method === 'GET') return listUsers(app, orgId, query)
    if (method !== 'POST') throw notAllowed()
    return { status: 201, body: toUserDocument(app, await addPerson(app, orgId, await readDocument(event))) }
  }
  const row = await requirePerson(app, orgId, id)
  if (method === 'GET') return { status: 200, body: toUserDocument(app, row) }
  if (method === 'DELETE') {
    await removePerson(app, row)
    return { status: 204 }
  }
  if (method !== 'PUT' && method !== 'PATCH') throw notAllowed()
  const sent = await readDocument(event)
  const wanted = method === 'PUT' ? sent : applyPatch(toUserDocument(app, row), sent)
  return { status: 200, body: toUserDocument(app, await changePerson(app, row, wanted)) }
}

const notAllowed = (): ScimError => new ScimError('This method is not supported here.', undefined, 405)

async function listUsers(app: App, orgId: string, query: URLSearchParams): Promise<ScimAnswer> {
  const page = await listPeople(app, orgId, {
    filter: query.get('filter') ?? undefined,
    startIndex: numberOf(query.get('startIndex'), 1),
    count: numberOf(query.get('count'), 100),
  })
  return { status: 200, body: { schemas: [LIST_SCHEMA], ...page } }
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
