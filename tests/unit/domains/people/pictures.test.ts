import sharp from 'sharp'
import { expect, it } from 'vitest'
import { testApp } from 'nuxt-fairway/vitest'

const PLACE = 'Reykjavik'

it('a picture of a person that a program sends loses its place, and has at most 16 million pixels', async () => {
  const app = await testApp()
  const ann = await app.person({ name: 'Ann' })
  const send = (body: Buffer) =>
    app.as(ann).fetch('/_fw/account/picture', {
      method: 'PUT',
      headers: { 'content-type': 'image/jpeg' },
      body: new Uint8Array(body),
    })
  const plain = sharp({ create: { width: 40, height: 40, channels: 3, background: '#123456' } })
  const taken = await plain
    .clone()
    .withExif({ IFD0: { ImageDescription: PLACE }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '64/1 8/1 47/1' } })
    .jpeg()
    .toBuffer()
  expect(taken.includes(PLACE)).toBe(true)
  const { image } = await (await send(taken)).json()
  const stored = Buffer.from(await (await app.as(ann).fetch(image)).arrayBuffer())
  expect([stored.includes(PLACE), (await sharp(stored).metadata()).width]).toEqual([false, 40])
  const huge = await plain.clone().png().toBuffer()
  huge.writeUInt32BE(30_000, 16)
  huge.writeUInt32BE(30_000, 20)
  const refused = await send(huge)
  expect([refused.status, (await refused.json()).code]).toEqual([413, 'image-too-large'])
})
