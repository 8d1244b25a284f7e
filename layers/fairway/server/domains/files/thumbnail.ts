// Makes small pictures when the application has installed `sharp`. Each one is made on request; browsers cache them.
import { buffer } from 'node:stream/consumers'
import type { App } from '#fairway/server/kernel/app-context'
import { createLimiter } from '#fairway/server/kernel/crypto/password'
import { storageOf } from './storage-of'
import type { files } from './tables'

/** The part of the `sharp` API that is used here. */
interface Picture {
  autoOrient(): Picture
  resize(options: { width: number; withoutEnlargement: true }): Picture
  webp(options: { quality: number }): Picture
  toBuffer(): Promise<Buffer>
}
type Sharp = (bytes: Buffer, options: { limitInputPixels: number }) => Picture

const WIDTHS = new Set(['96', '384', '1200'])
/** Raster images that browsers show. */
export const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'])
/** Larger images need too much memory and are sent unchanged. */
const MOST_PIXELS = 50_000_000
const MOST_BYTES = 30 * 1024 * 1024
const AT_ONCE = 2
const QUALITY = 80

// The name is hidden from the bundler, so an application without the library still builds.
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

/** The requested `?width=`, when this file is a picture that the server can make smaller. */
export async function thumbnailWidth(app: App, { type, size }: FileRow, wanted: unknown): Promise<number | undefined> {
  const isAsked = typeof wanted === 'string' && WIDTHS.has(wanted)
  const isPossible = isAsked && PICTURES.has(type) && size <= MOST_BYTES && (await findSharp(app))
  return isPossible ? Number(wanted) : undefined
}

/**
 * Returns a picture of this width as WebP, rotated as its EXIF orientation says. Undefined when the bytes are not a picture or
 * have too many pixels.
 */
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
