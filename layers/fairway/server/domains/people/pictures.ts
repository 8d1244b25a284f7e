// The pictures that people upload: files of the file storage, referenced by `users.picture`.
import { and, eq } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { picturePath } from '#fairway/shared/paths'
import { userPictures, users } from './tables'

/** Replaces a person's picture with a stored file; returns its address. */
export async function setPicture(app: App, userId: string, file: string): Promise<string> {
  const image = picturePath(userId, file)
  await writePicture(app, userId, { file, image })
  return image
}

/** Removes a person's picture, including one from a provider. */
export const removePicture = (app: App, userId: string): Promise<void> =>
  writePicture(app, userId, { file: null, image: null })

async function writePicture(
  app: App,
  userId: string,
  { file, image }: { file: string | null; image: string | null },
): Promise<void> {
  await app.db.client.batch(
    [
      { sql: 'delete from fw_user_pictures where user_id = ?', args: [userId] },
      {
        sql: 'update users set picture = ?, image = ?, updated_at = ? where id = ?',
        args: [file, image, app.now().getTime(), userId],
      },
    ],
    'write',
  )
}

/**
 * One version of a person's picture: its file, or the bytes of a picture stored before migration 0009. Throws
 * `not-found`.
 */
export async function requirePicture(
  app: App,
  userId: string,
  version: string,
): Promise<{ id: string; held: readonly [string, string, string, string] } | { type: string; bytes: Buffer }> {
  const { orm } = app.db
  const isFile = and(eq(users.id, userId), eq(users.picture, version))
  if ((await orm.$count(users, isFile)) > 0) return { id: version, held: ['users', 'picture', userId, ''] }
  const [picture] = await orm
    .select({ type: userPictures.type, bytes: userPictures.bytes })
    .from(userPictures)
    .where(and(eq(userPictures.userId, userId), eq(userPictures.version, version)))
  if (!picture) throw new AppError('not-found')
  return picture
}
