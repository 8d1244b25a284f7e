// A plugin for development servers only (modules/devtools): a build contains no file of this folder.
import type { H3Event } from 'h3'
import { defineNitroPlugin } from 'nitropack/runtime'
import { catalog as actions } from '#fw/actions'
import { catalog as collections } from '#fw/collections'
import type { App } from '#fairway/server/kernel/app-context'
import { type AppError, toAppError } from '#fairway/server/kernel/http/app-error'
import { requestPath } from '#fairway/server/kernel/http/request-info'
import { DEVTOOLS_PATH, MCP_PATH } from '#fairway/shared/paths'
import { explainDenial } from './explain-denial'
import { type Recording, recordingOf, type Target } from './recording'

/** Records requests and their refusals in memory: methods, paths, names and times; no query, body, cookie or token. */
export default defineNitroPlugin(nitro => {
  nitro.hooks.hook('request', event => {
    const { app, requestId } = event.context
    if (app && requestId && isNoted(event)) begin(app, event, requestId)
  })
  nitro.hooks.hook('error', (thrown, { event }) => {
    const { app, requestId } = event?.context ?? {}
    if (event && app && requestId && isNoted(event)) refused(app, event, requestId, toAppError(thrown))
  })
})

const isNoted = (event: H3Event): boolean => !/^\/(_nuxt|__nuxt|@|node_modules)/.test(event.path) && !isOurs(event)
const isOurs = (event: H3Event): boolean => requestPath(event).startsWith(DEVTOOLS_PATH)

function begin(app: App, event: H3Event, requestId: string): Recording {
  const recording = recordingOf(app)
  app.trace ??= traceOf(app, recording)
  if (!recording.find(requestId)) {
    recording.begin(requestId, event.method, requestPath(event))
    recording.step(requestId, 'host and origin', event.node.req.headers.host)
    recording.step(requestId, 'route')
    const { res } = event.node
    res.once('close', () => recording.end(requestId, res.writableFinished ? res.statusCode : null))
  }
  return recording
}

const traceOf = (app: App, recording: Recording): App['trace'] => ({
  step: (id, step, fact) => recording.step(id, step, fact),
  person(id, source, session) {
    recording.step(id, 'session', source)
    recording.person(id, session)
  },
  refused(id, { action: name, session, input, error }) {
    if (error.status < 500) note(app, recording, id, { kind: 'action', name, session, ids: idsOf(input) }, error)
  },
})

function refused(app: App, event: H3Event, requestId: string, error: AppError): void {
  const recording = begin(app, event, requestId)
  recording.step(requestId, 'refused', error.code)
  if (error.status >= 500) return
  const target = targetOf(event)
  if (target) note(app, recording, requestId, { ...target, session: recording.find(requestId)?.session ?? null }, error)
}

/** Returns the target of a path where it is an action's, a collection's or the path for MCP hosts; undefined for all others. */
function targetOf(event: H3Event): Omit<Target, 'session'> | undefined {
  const path = requestPath(event)
  const [, action] = /^\/_fw\/actions\/([^/]+)$/.exec(path) ?? []
  if (action) return { kind: 'action', name: decoded(action), ids: [] }
  if (path === MCP_PATH) return { kind: 'mcp', name: MCP_PATH, ids: [] }
  const [, name = '', id] = path.split('/')
  if (!collections.some(collection => collection.name === name)) return undefined
  return { kind: 'collection', name, ids: id ? [decoded(id)] : [] }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const MOST_IDS = 8
const ID = /^[\w.:-]{1,64}$/

/** Returns the values of an input that may be the id of a row. The other values are not kept. */
const idsOf = (input: unknown): string[] =>
  Object.entries(typeof input === 'object' && input !== null ? input : {})
    .flatMap(([name, value]) => (/id$/i.test(name) && typeof value === 'string' && ID.test(value) ? [value] : []))
    .slice(0, MOST_IDS)

function note(app: App, recording: Recording, requestId: string, target: Target, error: AppError): void {
  const denial = recording.deny(requestId, target, error)
  if (!denial) return
  explainDenial(app, { actions, collections }, target, error).then(
    why => Object.assign(denial, why),
    (reason: unknown) => app.log.warn('a refusal could not be explained', { error: reason }),
  )
}
