import { getRouterParam } from 'h3'
import { answerScim } from '#fairway/server/domains/directory'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineRoute } from '#fairway/server/kernel/http/methods'
import { requestQuery } from '#fairway/server/kernel/http/request-info'

/** The directories of organizations send their people here (SCIM 2.0). Each has its own token. */
export default defineRoute(['signed-out', 'setup'], event =>
  answerScim(getApp(event), event, getRouterParam(event, 'path') ?? '', new URLSearchParams(requestQuery(event))),
)
