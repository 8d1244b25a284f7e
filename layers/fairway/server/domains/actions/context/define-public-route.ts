import { defineEventHandler, type EventHandler, type H3Event } from 'h3'

/** The handler of a route that anyone may call, also to change something: said on purpose, because the build refuses such a route that neither says it nor asks for a session. */
export const definePublicRoute = (handler: (event: H3Event) => unknown): EventHandler => defineEventHandler(handler)
