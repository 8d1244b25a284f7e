// The pictures that people choose for themselves.
import { and, eq } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '#fairway/server/kernel/crypto/random'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { picturePath } from '#fairway/shared/paths'
import { userPictures } from './tables'

/** What the first bytes of a picture say that it is; nothing that is said about it besides counts. */
const KINDS: readonly { type: string; is(bytes: Uint8Array): boolean }[] = [
  { type: 'image/webp', is: bytes => hasText(bytes, 0, 'RIFF') && hasText(bytes, 8, 'WEBP') },
  { type: 'image/jpeg', is: bytes => bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff },
  { type: 'image/png', is: bytes => bytes[0] === 0x89 && hasText(bytes, 1, 'PNG\r\n\x1A\n') },
]

const hasText = (bytes: Uint8Array, at: number, text: string): boolean =>
  Buffer.from(bytes.subarray(at, at + text.length)).toString('latin1') === text

/** Gives a person this picture instead of what they had; its address. Throws `unsupported-media-type` for what is none. */
export async function setPicture(app: App, userId: string, bytes: Buffer): Promise<string> {
  const type = KINDS.find(kind => kind.is(bytes))?.type
  if (!type) throw new AppError('unsupported-media-type', { detail: 'Send a picture: WebP, JPEG or PNG.' })
  const version = newId()
  const now = app.now().getTime()
  const address = picturePath(userId, version)
  await app.db.client.batch(
    [
      {
        sql: `insert into fw_user_pictures (user_id, version, type, bytes, created_at) values (?, ?, ?, ?, ?)
          on conflict (user_id) do update set version = excluded.version, type = excluded.type, bytes = excluded.bytes,
          created_at = excluded.created_at`,
        args: [userId, version, type, bytes, now],
      },
      { sql: 'update users set image = ?, updated_at = ? where id = ?', args: [address, now, userId] },
    ],
    'write',
  )
  return address
}

/** Takes a person's picture away, also one that came from a provider; taking it away twice is the same as once. */
export async function removePicture(app: App, userId: string): Promise<void> {
  await app.db.client.batch(
    [
      { sql: 'delete from fw_user_pictures where user_id = ?', args: [userId] },
      { sql: 'update users set image = null, updated_at = ? where id = ?', args: [app.now().getTime(), userId] },
    ],
    'write',
  )
}

/** The bytes of one version of a person's picture and what they are; throws `not-found`. */
export async function readPicture(app: App, userId: string, version: string): Promise<{ type: string; bytes: Buffer }> {
  const [found] = await app.db.orm
    .select({ type: userPictures.type, bytes: userPictures.bytes })
    .from(userPictures)
    .where(and(eq(userPictures.userId, userId), eq(userPictures.version, version)))
  if (!found) throw new AppError('not-found')
  return found
}
