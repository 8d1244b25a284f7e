import { defineEventHandler } from 'h3'
import { getApp } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { requestPath } from '#fairway/server/kernel/http/request-info'
import { AUTH_PREFIX, SIGN_IN_METHODS_PATH } from '#fairway/shared/paths'

/** To sign out, and to learn that people sign in elsewhere. */
const OPEN_PATHS = [`${AUTH_PREFIX}/sign-out`, SIGN_IN_METHODS_PATH]

/** Where people sign in elsewhere, our own sign-in has no endpoints: a person is who `getSession` of the application says. */
export default defineEventHandler(event => {
  if (!getApp(event).config.customSignIn) return
  const path = requestPath(event)
  if (path.startsWith(`${AUTH_PREFIX}/`) && !OPEN_PATHS.includes(path)) throw new AppError('not-found')
})
