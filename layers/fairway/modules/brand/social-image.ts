// The platform's mark on the accent colour, as PNG: the social image of a public page, and the mark in mails.
import { crc32, deflateSync } from 'node:zlib'

/** The mark of public/favicon.svg: lines of width 2 within 24 by 24. */
const MARK: readonly Line[] = [
  [6, 21, 6, 4],
  [6, 4, 18, 8],
  [18, 8, 6, 12],
  [4, 21, 20, 21],
]

type Line = readonly [x1: number, y1: number, x2: number, y2: number]

interface Picture {
  width: number
  height: number
  /** The pixels for one unit of the mark. */
  scale: number
}

/** A PNG of 1200 by 630 pixels with the mark in white on a colour (`#166534`). */
export const socialImage = (colour: string): Buffer => markOn(colour, { width: 1200, height: 630, scale: 14 })

/** A PNG of 96 by 96 pixels with the mark in white on a colour; mails show it in a third of the size. */
export const mailMark = (colour: string): Buffer => markOn(colour, { width: 96, height: 96, scale: 3 })

function markOn(colour: string, { width, height, scale }: Picture): Buffer {
  const ground = [1, 3, 5].map(at => Number.parseInt(colour.slice(at, at + 2), 16))
  const rows = Buffer.alloc((width * 3 + 1) * height)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const white = coverage((x - width / 2) / scale + 12, (y - height / 2) / scale + 12, scale)
      const at = y * (width * 3 + 1) + 1 + x * 3
      for (const [channel, value] of ground.entries()) rows[at + channel] = Math.round(value + (255 - value) * white)
    }
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
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
function coverage(x: number, y: number, scale: number): number {
  if (x < 2 || x > 22 || y < 2 || y > 23) return 0
  const nearest = Math.min(...MARK.map(line => distance(x, y, line)))
  return Math.max(0, Math.min(1, (1 - nearest) * scale + 0.5))
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
