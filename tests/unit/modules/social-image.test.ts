import { inflateSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { socialImage } from '#fairway/modules/brand/social-image'

it('socialImage returns a PNG of 1200 by 630 pixels with a white mark on the accent', () => {
  const png = socialImage('#7c3aed')
  expect(png.subarray(0, 8).toString('hex')).toBe('89504e470d0a1a0a')
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1200, 630])
  expect(png.length).toBeLessThan(40_000)
  const data = png.indexOf('IDAT')
  const pixels = inflateSync(png.subarray(data + 4, data + 4 + png.readUInt32BE(data - 4)))
  const pixel = (x: number, y: number) => [...pixels.subarray(y * 3601 + 1 + x * 3).subarray(0, 3)]
  expect(pixel(0, 0)).toEqual([0x7c, 0x3a, 0xed])
  // The flagpole.
  expect(pixel(600 - 6 * 14, 315)).toEqual([255, 255, 255])
})
