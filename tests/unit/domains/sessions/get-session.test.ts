import { createEvent } from 'h3'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { getSession, requireSession } from '#fairway/server/domains/sessions'

it('throws while a page is rendered that every visitor shares', async () => {
  const request = new IncomingMessage(new Socket())
  const event = createEvent(request, new ServerResponse(request))
  event.context.isImpersonal = true
  expect(() => getSession(event)).toThrow(/shares/)
  await expect(requireSession(event)).rejects.toThrow(/shares/)
})
