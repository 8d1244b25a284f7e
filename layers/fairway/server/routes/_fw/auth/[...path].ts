import { appendResponseHeader, defineEventHandler, getQuery, getRouterParam } from 'h3'
import { checkCallbacks, findAuthEndpoint } from '#fairway/server/domains/sign-in'
import { getApp } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { readJsonBody } from '#fairway/server/kernel/http/read-input'

export default defineEventHandler(async event => {
  const endpoint = findAuthEndpoint(getRouterParam(event, 'path') ?? '')
  if (!endpoint) throw new AppError('not-found')
  if (event.method !== 'POST') throw new AppError('method-not-allowed', { headers: { allow: 'POST' } })
  const body = await readJsonBody(event)
  const { baseUrl } = getApp(event).config
  checkCallbacks(body, baseUrl)
  checkCallbacks(getQuery(event), baseUrl)
  const answer = await endpoint(event, body)
  for (const cookie of answer.setCookies) appendResponseHeader(event, 'set-cookie', cookie)
  return answer.body
})
