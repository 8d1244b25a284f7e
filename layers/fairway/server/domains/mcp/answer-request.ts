import { bodyLimits } from '#fairway/server/kernel/limits/limits'
import type { H3Event } from 'h3'
import type { McpAccess } from '#fairway/server/domains/oauth-server'
import { type App, getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { readJsonValue } from '#fairway/server/kernel/http/read-input'
import { requestInfo } from '#fairway/server/kernel/http/request-info'
import { withinCallLimits } from './call-limits'
import { answerPreflight, checkOrigin } from './check-origin'
import { answerLegacy } from './legacy-exchange'
import { answerModern } from './modern-exchange'
import { createMcpServer } from './mcp-server'
import { requireAccess, requireScope } from './require-access'
import { rpcFailure } from './rpc-failure'
import { loadSdk } from './sdk'
import { sendResponse } from './send-response'
import { createSurface, type McpDeclarations, neededScope } from './surface'
import { toWebRequest } from './web-request'

const MOST_OF_AN_ID = 256

/** Answers one request of an MCP host; throws what the catalog has for requests that do not reach the protocol. */
export async function answerMcpRequest(event: H3Event, declared: McpDeclarations): Promise<void> {
  checkOrigin(event)
  if (event.method === 'OPTIONS') return answerPreflight(event)
  const app = getApp(event)
  const access = await requireAccess(event)
  if (event.method !== 'POST') throw new AppError('method-not-allowed', { headers: { allow: 'POST' } })
  const response = await withinCallLimits(app, access, async () => {
    const body = await readBody(event)
    return body instanceof Response ? body : answerMessage(event, app, access, declared, body)
  })
  await sendResponse(event, response)
}

/** One message of JSON-RPC, or the refusal of what is none: lists of messages ended with the revision 2025-06-18. */
async function readBody(event: H3Event): Promise<object> {
  try {
    const body = await readJsonValue(event, { maxBytes: bodyLimits.message })
    return isMessage(body) ? body : rpcFailure(400, -32_600, 'Send one message of JSON-RPC.')
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.code !== 'malformed-json') throw thrown
    return rpcFailure(400, -32_700, 'This is not JSON.')
  }
}

function isMessage(body: unknown): body is object {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false
  if (!('id' in body)) return true
  return typeof body.id === 'string' ? body.id.length <= MOST_OF_AN_ID : Number.isSafeInteger(body.id)
}

async function answerMessage(
  event: H3Event,
  app: App,
  access: McpAccess,
  declared: McpDeclarations,
  body: object,
): Promise<Response> {
  const sdk = await loadSdk(app)
  const surface = app.memo('mcp-surface', () => createSurface(declared))
  const { method, params } = readMethod(body)
  requireScope(app, access, neededScope(surface, method, params))
  const call = {
    app,
    sdk,
    surface,
    access,
    requestId: getRequestId(event),
    clientAddress: requestInfo(event).clientAddress,
    subject: String(params.name ?? params.uri ?? ''),
  }
  const request = toWebRequest(event)
  if (await sdk.isLegacyRequest(request, body)) return answerLegacy(sdk, createMcpServer(call), body, request)
  return answerModern(call, body, request)
}

function readMethod(body: object): { method: string; params: Record<string, unknown> } {
  const method = 'method' in body && typeof body.method === 'string' ? body.method : ''
  const params = 'params' in body && typeof body.params === 'object' && body.params !== null ? { ...body.params } : {}
  return { method, params }
}
