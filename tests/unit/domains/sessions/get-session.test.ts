import { createEvent } from 'h3'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { getSession, requireSession } from '#fairway/server/domains/sessions'

it('getSession and requireSession throw while a page shared by all visitors is rendered', async () => {
  const request = new IncomingMessage(new Socket())
  const event = createEvent(request, new ServerResponse(request))
  event.context.isImpersonal = true
  expect(() => getSession(event)).toThrow(/shares/)
  await expect(requireSession(event)).rejects.toThrow(/shares/)
})
