import { expect, it } from 'vitest'
import { isoTime } from '#fairway/server/kernel/iso-time'

const DAY = 86_400_000

it('isoTime matches toISOString on every day of 800 years', () => {
  const faults = []
  for (let day = -146_097; day < 146_097; day++) {
    const at = day * DAY + ((((day * 7_919_777) % DAY) + DAY) % DAY)
    if (isoTime(at) !== new Date(at).toISOString()) faults.push(at)
  }
  expect(faults).toEqual([])
})

it.each([
  0,
  -1,
  999,
  951_782_400_000,
  Date.UTC(2000, 1, 29, 23, 59, 59, 999),
  Date.UTC(2100, 2, 1),
  -62_135_596_800_000,
  -62_135_596_800_001,
  253_402_300_799_999,
  253_402_300_800_000,
  1.5,
  -0,
])('isoTime matches toISOString for %s, whatever its year', at => {
  expect(isoTime(at)).toBe(new Date(at).toISOString())
})

it('isoTime throws for an invalid time', () => {
  for (const none of [Number.NaN, Infinity, 8.65e15]) expect(() => isoTime(none)).toThrow(RangeError)
})
