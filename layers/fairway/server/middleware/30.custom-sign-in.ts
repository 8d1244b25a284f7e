import { defineEventHandler } from 'h3'
import { getApp } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { requestPath } from '#fairway/server/kernel/http/request-info'
import { AUTH_PREFIX } from '#fairway/shared/paths'

const SIGN_OUT = `${AUTH_PREFIX}/sign-out`

/** Where people sign in elsewhere, our own sign-in has no endpoints: a person is who `getSession` of the application says. */
export default defineEventHandler(event => {
  if (!getApp(event).config.customSignIn) return
  const path = requestPath(event)
  if (path.startsWith(`${AUTH_PREFIX}/`) && path !== SIGN_OUT) throw new AppError('not-found')
})
