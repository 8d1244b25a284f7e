import { defineEventHandler, type EventHandler, type H3Event, setResponseStatus } from 'h3'
import { AppError } from './app-error'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * A state of the caller in which an address stays open. Declarations name theirs; every other address is closed.
 * - `signed-out`: without a session.
 * - `setup`: the person must first set up a second factor or accept the terms.
 * - `view`: an operator views the application as the person; `view-as-operator` runs with the operator's own session instead.
 * - `api-token`, `mcp-token`: such a token identifies the caller.
 */
export type OpenState = 'signed-out' | 'setup' | 'view' | 'view-as-operator' | 'api-token' | 'mcp-token'
export type OpenIn = readonly OpenState[]

declare module 'h3' {
  interface H3EventContext {
    /** What the declaration behind the address of this request says. */
    openIn?: OpenIn
  }
}

/** A handler of the platform with its declaration, by method where methods differ. */
export interface Route extends EventHandler {
  readonly openIn: OpenIn | Partial<Record<Method, OpenIn>>
  readonly methods?: readonly Method[]
}

/** What the declaration of an author says: reading is open in views, and what answers people without a session answers everyone. */
export const openInOf = ({ reads, isPublic }: { reads: boolean; isPublic: boolean }): OpenIn => [
  'api-token',
  ...(reads ? (['view'] as const) : []),
  ...(isPublic ? (['signed-out', 'setup'] as const) : []),
]

interface MethodsOptions {
  /** Returns whether the address exists; if not, every method returns `not-found`. */
  isThere?: (event: H3Event) => boolean | Promise<boolean>
}

/** Creates a handler that answers every method itself. With the addresses of many declarations, it sets `openIn` from theirs. */
export const defineRoute = (openIn: Route['openIn'], answer: (event: H3Event) => unknown): Route =>
  Object.assign(
    defineEventHandler(event => {
      event.context.openIn = 'includes' in openIn ? openIn : openIn[methodOf(event)]
      return answer(event)
    }),
    { openIn },
  )

/** Whether the platform declares this handler. */
export const isRoute = (handler: EventHandler): handler is Route => 'openIn' in handler

const methodOf = ({ method }: H3Event): Method => (method === 'HEAD' ? 'GET' : method) as Method

/**
 * Creates one handler for an address: a function for each method, HEAD with GET, 405 with `Allow` for all others. The result
 * undefined becomes 204.
 */
export function defineMethods(
  { openIn = [], ...methods }: Partial<Record<Method, (event: H3Event) => unknown>> & { openIn?: Route['openIn'] },
  { isThere }: MethodsOptions = {},
): Route {
  const names = Object.keys(methods) as Method[]
  const allow = names.flatMap(method => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  const route = defineRoute(openIn, async event => {
    if (isThere && !(await isThere(event))) throw new AppError('not-found')
    const answer = methods[methodOf(event)]
    if (!answer) throw new AppError('method-not-allowed', { headers: { allow: allow.join(', ') } })
    const result = await answer(event)
    if (result !== undefined) return result
    setResponseStatus(event, 204)
    return null
  })
  return Object.assign(route, { methods: names })
}
