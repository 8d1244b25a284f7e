import { expect, it } from 'vitest'
import { createMutex } from '#fairway/shared/mutex'

it('createMutex runs tasks of one name one at a time in order, and other names in parallel', async () => {
  const mutex = createMutex()
  const seen: string[] = []
  const gate = Promise.withResolvers<void>()
  const first = mutex('a', async () => {
    seen.push('a1 begins')
    await gate.promise
    seen.push('a1 ends')
  })
  const second = mutex('a', async () => void seen.push('a2'))
  await mutex('b', async () => void seen.push('b'))
  expect(seen).toEqual(['a1 begins', 'b'])
  gate.resolve()
  await Promise.all([first, second])
  expect(seen).toEqual(['a1 begins', 'b', 'a1 ends', 'a2'])
})

it('createMutex continues after a failed task', async () => {
  const mutex = createMutex()
  const failing = mutex('a', () => Promise.reject(new Error('no')))
  expect(await mutex('a', () => Promise.resolve('yes'))).toBe('yes')
  await expect(failing).rejects.toThrow('no')
})
