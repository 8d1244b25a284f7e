import { expect, it } from 'vitest'
import { onSignedOut, sendSignedOut } from '#fairway/app/session/session-signal'

const later = () => new Promise(resolve => setTimeout(resolve, 50))

it('notifies other tabs of a sign-out, until their listener is removed', async () => {
  let count = 0
  const heard = Promise.withResolvers<void>()
  const stop = onSignedOut(() => {
    count++
    heard.resolve()
  })
  sendSignedOut()
  await heard.promise
  stop()
  sendSignedOut()
  await later()
  expect(count).toBe(1)
})
