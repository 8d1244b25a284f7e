// For each path, Nitro consults its rules, the files, every middleware and then its routes. Where the build found no middleware
// of the application, requests to the platform's own paths can skip most of that.
import { defineEventHandler, type H3Event } from 'h3'
import { getRouteRules } from 'nitropack/runtime'
import type { NitroApp } from 'nitropack/types'
import { hasOwnMiddleware } from '#fw/own-middleware'
import { publicLanguages } from '#fw/pages'
import { type FindReady, openToOtherSites } from '#fairway/server/enter-request'
import { askedLanguage, pathIn, readyPage } from '#fairway/server/domains/pages'
import { readySession } from '#fairway/server/domains/sessions'
import { readySignIn } from '#fairway/server/domains/sign-in'
import { type App, getApp } from '#fairway/server/kernel/app-context'
import { mountedNames, requestPath } from '#fairway/server/kernel/http/request-info'
import { isReservedPath, SESSION_PATH, SIGN_IN_PATH } from '#fairway/shared/paths'

type Hook = 'request' | 'beforeResponse' | 'afterResponse' | 'render:before' | 'render:response'
const OF_ALL: readonly Hook[] = ['request', 'beforeResponse', 'afterResponse']
const OF_PAGES: readonly Hook[] = ['render:before', 'render:response']

const isHooked = ({ hooks }: NitroApp, names: readonly Hook[], most = 0): boolean =>
  names.some(name => hooks.callHookWith(functions => functions.length, name, [] as never) > most)

/** Finds responses in memory, as long as the application has no middleware and no hook of a request that could change them. */
export function readyAnswers(nitro: NitroApp): FindReady {
  if (import.meta.dev || hasOwnMiddleware) return () => undefined
  return (event, app, path) => {
    if (!app.config.shortcuts || isHooked(nitro, OF_ALL)) return undefined
    if (path === SESSION_PATH || path === SIGN_IN_PATH) {
      if (hasRules(event)) return undefined
      return path === SESSION_PATH ? readySession(app, event.node.req) : readySignIn(event, app)
    }
    const ready = readyPage(event, app, pathIn(path, askedLanguage(event.path, publicLanguages)))
    // The platform registers one of each (plugins/30.shell).
    return ready && !isHooked(nitro, OF_PAGES, 1) ? ready : undefined
  }
}

/**
 * Routes paths of the platform directly, before files and middleware. Only the platform's own of these affect such paths: the
 * build refuses an application's files, routes and pages there (modules/clashes).
 */
export function bypassMiddleware({ h3App, router }: NitroApp): void {
  if (import.meta.dev || hasOwnMiddleware) return
  const handler = defineEventHandler((event): unknown => {
    const app = getApp(event)
    if (!app.config.shortcuts || !isOwnPath(app, requestPath(event)) || hasRules(event)) return undefined
    openToOtherSites(event)
    return event.handled ? undefined : router.handler(event)
  })
  h3App.stack.unshift({ route: '/', handler })
}

/** The depth of the deepest address of a collection, its export. */
const DEEPEST = 3

/** Returns whether no file of the application can have this path: it is reserved, or an address of a collection. */
function isOwnPath(app: App, path: string): boolean {
  if (isReservedPath(path)) return true
  const [, name, ...below] = path.split('/', DEEPEST + 2)
  return mountedNames(app).has(name) && below.length < DEEPEST
}

/** Returns whether a route rule applies to the path of this request. */
export const hasRules = (event: H3Event): boolean => Object.keys(getRouteRules(event)).length > 0
