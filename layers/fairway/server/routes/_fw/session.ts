import { defineEventHandler, setResponseStatus } from 'h3'
import { endSession, getSession } from '#fairway/server/domains/sessions'
import { AppError } from '#fairway/server/kernel/http/app-error'

export default defineEventHandler(async event => {
  if (event.method === 'GET' || event.method === 'HEAD') return { session: await getSession(event) }
  if (event.method !== 'DELETE') throw new AppError('method-not-allowed', { headers: { allow: 'GET, HEAD, DELETE' } })
  await endSession(event)
  setResponseStatus(event, 204)
  return null
})
