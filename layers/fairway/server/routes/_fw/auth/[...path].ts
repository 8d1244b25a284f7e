import { getQuery, getRouterParam } from 'h3'
import { checkCallbacks, findAuthEndpoint } from '#fairway/server/domains/sign-in'
import { getApp } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { defineRoute } from '#fairway/server/kernel/http/methods'
import { readJsonBody } from '#fairway/server/kernel/http/read-input'
import { sendAnswer } from '#fairway/server/kernel/server-page/send-answer'

export default defineRoute(['signed-out', 'setup'], async event => {
  const endpoint = findAuthEndpoint(getApp(event), getRouterParam(event, 'path') ?? '')
  if (!endpoint) throw new AppError('not-found')
  if (event.method !== 'POST') throw new AppError('method-not-allowed', { headers: { allow: 'POST' } })
  const body = await readJsonBody(event)
  const { baseUrl } = getApp(event).config
  checkCallbacks(body, baseUrl)
  checkCallbacks(getQuery(event), baseUrl)
  const { body: result, setCookies } = await endpoint(event, body)
  return sendAnswer(event, { body: result, setCookies })
})
