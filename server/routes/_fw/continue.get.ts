import { defineEventHandler, getQuery, sendRedirect } from 'h3'
import { getApp } from '#server/foundation/app-context'
import { safeReturnPath } from '#shared/return-path'

/** Leads on to the return path of a sign-in that was finished elsewhere. */
export default defineEventHandler(event =>
  sendRedirect(event, safeReturnPath(getQuery(event).return, getApp(event).config.baseUrl), 302),
)
