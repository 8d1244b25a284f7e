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
import { getApp } from '#fairway/server/kernel/app-context'
import { isRoute } from '#fairway/server/kernel/http/methods'
import { isServedPath, requestPath } from '#fairway/server/kernel/http/request-info'
import { cacheOf } from '#fairway/server/kernel/cache'
import { SESSION_PATH, SIGN_IN_PATH } from '#fairway/shared/paths'

type Hook = 'request' | 'beforeResponse' | 'afterResponse' | 'render:before' | 'render:response'
const OF_ALL: readonly Hook[] = ['request', 'beforeResponse', 'afterResponse']
const OF_PAGES: readonly Hook[] = ['render:before', 'render:response']

const isHooked = ({ hooks }: NitroApp, names: readonly Hook[], most = 0): boolean =>
  names.some(name => hooks.callHookWith(functions => functions.length, name, [] as never) > most)

/** Skips calls of hooks without listeners: each call would cost an inspector task and two promises, three times a request. */
export function skipEmptyHooks(nitro: NitroApp): void {
  if (import.meta.dev) return
  const { hooks } = nitro
  const { callHook } = hooks
  const done = Promise.resolve()
  hooks.callHook = (name, ...args) =>
    OF_ALL.includes(name as Hook) && !isHooked(nitro, [name as Hook]) ? done : callHook(name, ...args)
}

/** Finds responses in memory, as long as the application has no middleware and no hook of a request that could change them. */
export function readyAnswers(nitro: NitroApp): FindReady {
  if (import.meta.dev || hasOwnMiddleware) return () => undefined
  return (event, app, path) => {
    if (!app.config.shortcuts || isHooked(nitro, OF_ALL)) return undefined
    if (path === SESSION_PATH || path === SIGN_IN_PATH) {
      if (hasRules(event, path)) return undefined
      return path === SESSION_PATH ? readySession(app, event.node.req) : readySignIn(event, app)
    }
    const ready = readyPage(event, app, pathIn(path, askedLanguage(event.path, publicLanguages)))
    // The platform registers one of each (plugins/30.shell).
    return ready && !isHooked(nitro, OF_PAGES, 1) ? ready : undefined
  }
}

/**
 * Routes paths of the platform directly, before rules, files and middleware. Only the platform's own of these affect such paths.
 */
export function bypassMiddleware({ h3App, router }: NitroApp): void {
  if (import.meta.dev || hasOwnMiddleware) return
  const answer = (event: H3Event): unknown => {
    openToOtherSites(event)
    return event.handled ? undefined : router.handler(event)
  }
  const handler = defineEventHandler(event => {
    const app = getApp(event)
    const path = requestPath(event)
    if (!app.config.shortcuts || !isServedPath(app, path)) return undefined
    const straight = cacheOf<boolean>(app, 'straight-paths')
    const known = straight.get(path)
    if (known !== undefined) return known ? answer(event) : undefined
    return isStraight(event, path).then(found => {
      straight.set(path, found)
      return found ? answer(event) : undefined
    })
  })

  // The build refuses an application's file with the path of a route (modules/clashes).
  async function isStraight(event: H3Event, path: string): Promise<boolean> {
    if (hasRules(event, path)) return false
    const found = await router.handler.__resolve__?.(path)
    return found !== undefined && isRoute(found.handler)
  }

  h3App.stack.unshift({ route: '/', handler })
}

/** Returns whether a route rule applies to this path, which the build determines. */
export const hasRules = (event: H3Event, path: string): boolean =>
  cacheOf<boolean>(getApp(event), 'ruled-paths').getOrSet(path, () => Object.keys(getRouteRules(event)).length > 0)
