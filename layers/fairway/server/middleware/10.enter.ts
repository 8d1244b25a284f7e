import { defineEventHandler } from 'h3'
import { enterMiddleware } from '#fairway/server/enter-request'

/** Runs before the middleware of an application, and before every route. */
export default defineEventHandler(enterMiddleware)
