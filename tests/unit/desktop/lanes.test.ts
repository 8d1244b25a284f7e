import { expect, it } from 'vitest'
import { createLanes } from '#fairway/desktop/lanes'

it('runs works of one name in order, one at a time, and those of other names beside them', async () => {
  const lanes = createLanes()
  const seen: string[] = []
  const gate = Promise.withResolvers<void>()
  const first = lanes('a', async () => {
    seen.push('a1 begins')
    await gate.promise
    seen.push('a1 ends')
  })
  const second = lanes('a', async () => void seen.push('a2'))
  await lanes('b', async () => void seen.push('b'))
  expect(seen).toEqual(['a1 begins', 'b'])
  gate.resolve()
  await Promise.all([first, second])
  expect(seen).toEqual(['a1 begins', 'b', 'a1 ends', 'a2'])
})

it('goes on after a work that failed', async () => {
  const lanes = createLanes()
  const failing = lanes('a', () => Promise.reject(new Error('no')))
  expect(await lanes('a', () => Promise.resolve('yes'))).toBe('yes')
  await expect(failing).rejects.toThrow('no')
})
