// Small pictures of large ones, where the application has installed `sharp`. They are made when they are asked for; browsers keep them.
import { buffer } from 'node:stream/consumers'
import type { App } from '#fairway/server/kernel/app-context'
import { createLimiter } from '#fairway/server/kernel/crypto/password'
import { storageOf } from './storage-of'
import type { files } from './tables'

/** What of `sharp` is used. */
interface Picture {
  autoOrient(): Picture
  resize(options: { width: number; withoutEnlargement: true }): Picture
  webp(options: { quality: number }): Picture
  toBuffer(): Promise<Buffer>
}
type Sharp = (bytes: Buffer, options: { limitInputPixels: number }) => Picture

const WIDTHS = new Set(['96', '384', '1200'])
/** Images of pixels that browsers show. */
export const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'])
/** What is larger takes too much memory and stays as it is. */
const MOST_PIXELS = 50_000_000
const MOST_BYTES = 30 * 1024 * 1024
const AT_ONCE = 2
const QUALITY = 80

// A name that the build does not see: an application without the library builds all the same.
const LIBRARY = ['sharp'].join()
const findSharp = (app: App) =>
  app.memo('sharp', async (): Promise<Sharp | undefined> => {
    try {
      return (await import(/* @vite-ignore */ LIBRARY)).default
    } catch {
      return undefined
    }
  })

type FileRow = Pick<typeof files.$inferSelect, 'id' | 'type' | 'size'>

/** The width that is asked for with `?width=`, where this file is a picture that can be made smaller here. */
export async function thumbnailWidth(app: App, { type, size }: FileRow, asked: unknown): Promise<number | undefined> {
  const isAsked = typeof asked === 'string' && WIDTHS.has(asked)
  const isPossible = isAsked && PICTURES.has(type) && size <= MOST_BYTES && (await findSharp(app))
  return isPossible ? Number(asked) : undefined
}

/** A picture with this width as WebP, turned as its camera was held; undefined where its bytes are no picture, or have too many pixels. */
export async function makeThumbnail(app: App, { id }: FileRow, width: number): Promise<Buffer | undefined> {
  const [sharp, storage] = await Promise.all([findSharp(app), storageOf(app)])
  const limiter = app.memo('thumbnail-limiter', () => createLimiter(AT_ONCE))
  try {
    return await limiter.run(async () => {
      const bytes = await storage.read(id)
      const picture = bytes && sharp?.(await buffer(bytes), { limitInputPixels: MOST_PIXELS })
      return picture?.autoOrient().resize({ width, withoutEnlargement: true }).webp({ quality: QUALITY }).toBuffer()
    })
  } catch (error) {
    app.log.info('a picture could not be made smaller', { file: id, error })
    return undefined
  }
}
