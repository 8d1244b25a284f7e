// The social image of a public page when the application has no logo and no picture: the platform's mark on its accent colour.
import { crc32, deflateSync } from 'node:zlib'

const WIDTH = 1200
const HEIGHT = 630
/** The mark of public/favicon.svg: lines of width 2 within 24 by 24. */
const MARK: readonly Line[] = [
  [6, 21, 6, 4],
  [6, 4, 18, 8],
  [18, 8, 6, 12],
  [4, 21, 20, 21],
]
const SCALE = 14

type Line = readonly [x1: number, y1: number, x2: number, y2: number]

/** A PNG of 1200 by 630 pixels with the mark in white on a colour (`#166534`). */
export function socialImage(colour: string): Buffer {
  const ground = [1, 3, 5].map(at => Number.parseInt(colour.slice(at, at + 2), 16))
  const rows = Buffer.alloc((WIDTH * 3 + 1) * HEIGHT)
  for (let y = 0; y < HEIGHT; y += 1) {
    for (let x = 0; x < WIDTH; x += 1) {
      const white = coverage((x - WIDTH / 2) / SCALE + 12, (y - HEIGHT / 2) / SCALE + 12)
      const at = y * (WIDTH * 3 + 1) + 1 + x * 3
      for (const [channel, value] of ground.entries()) rows[at + channel] = Math.round(value + (255 - value) * white)
    }
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(WIDTH, 0)
  header.writeUInt32BE(HEIGHT, 4)
  header.set([8, 2], 8)
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** The fraction of a pixel that the mark covers, from 0 to 1. */
function coverage(x: number, y: number): number {
  if (x < 2 || x > 22 || y < 2 || y > 23) return 0
  const nearest = Math.min(...MARK.map(line => distance(x, y, line)))
  return Math.max(0, Math.min(1, (1 - nearest) * SCALE + 0.5))
}

function distance(x: number, y: number, [x1, y1, x2, y2]: Line): number {
  const along = ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / ((x2 - x1) ** 2 + (y2 - y1) ** 2)
  const part = Math.max(0, Math.min(1, along))
  return Math.hypot(x - x1 - part * (x2 - x1), y - y1 - part * (y2 - y1))
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const ends = Buffer.alloc(8)
  ends.writeUInt32BE(data.length, 0)
  ends.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
}
