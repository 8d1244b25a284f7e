import type { App } from '#fairway/server/kernel/app-context'
import { constantTimeEqual, sha256 } from '#fairway/server/kernel/crypto/hash'
import { cookieValues, setCookieValue } from '#fairway/server/kernel/http/cookie'
import { DESKTOP_PREFIX } from '#fairway/shared/paths'
import type { Ceremony } from './ceremony-row'

const NAME = 'desktop_binding'

/** The `Set-Cookie` value that binds this browser to the ceremonies it begins. */
export const bindingCookie = (app: App, token: string, lifeInSeconds: number): string =>
  setCookieValue(app.config, NAME, token, lifeInSeconds, DESKTOP_PREFIX)

/** What a browser is bound by already; several values when another host of the domain has set one too. */
export const readBindings = (app: App, cookieHeader: string | undefined): string[] =>
  cookieValues(app.config, NAME, cookieHeader, DESKTOP_PREFIX).filter(value => /^[\w-]{43}$/.test(value))

/** Whether a ceremony began in the browser of these cookies. */
export const isBound = (app: App, { bindingHash }: Ceremony, cookieHeader: string | undefined): boolean =>
  readBindings(app, cookieHeader).some(value => constantTimeEqual(sha256(value), bindingHash))
