import { defineEventHandler, type EventHandler, type H3Event, setResponseStatus } from 'h3'
import { AppError } from './app-error'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

interface MethodsOptions {
  /** Returns whether the address exists; if not, every method returns `not-found`. */
  isThere?: (event: H3Event) => boolean | Promise<boolean>
}

/**
 * Creates one handler for an address: a function for each method, HEAD with GET, 405 with `Allow` for all others. The result
 * undefined becomes 204.
 */
export function defineMethods(
  methods: Partial<Record<Method, (event: H3Event) => unknown>>,
  { isThere }: MethodsOptions = {},
): EventHandler {
  const allow = Object.keys(methods).flatMap(method => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  return defineEventHandler(async event => {
    if (isThere && !(await isThere(event))) throw new AppError('not-found')
    const method = (event.method === 'HEAD' ? 'GET' : event.method) as Method
    const answer = methods[method]
    if (!answer) throw new AppError('method-not-allowed', { headers: { allow: allow.join(', ') } })
    const result = await answer(event)
    if (result !== undefined) return result
    setResponseStatus(event, 204)
    return null
  })
}
