// The marker beside the stored files says which installation they belong to: no other one deletes there.
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '#fairway/server/kernel/crypto/random'
import { type FileStorage, MARKER } from './storage'
import { storageOf } from './storage-of'

const rowSchema = z.object({ id: z.string(), marked_at: z.number().nullable() })

/**
 * Returns why this installation must not delete files of its storage; undefined when it may. The first call writes the marker. A
 * missing one is not written again: the storage may be another one, such as a disk that is not mounted.
 */
export async function findOwnerFault(app: App): Promise<string | undefined> {
  const storage = await storageOf(app)
  const { id, marked_at: markedAt } = await findInstallation(app)
  let marker = await readMarker(storage)
  if (marker === undefined && markedAt === null) {
    await storage.write(MARKER, Readable.from([Buffer.from(id)]))
    // Another installation may have written its own at the same moment.
    marker = await readMarker(storage)
  }
  if (marker === undefined) return `the marker ${MARKER} is missing beside the files; its content is ${id}`
  if (marker !== id) return `the files belong to the installation ${marker}; this one is ${id}`
  if (markedAt === null)
    await app.db.client.execute({ sql: 'update fw_installation set marked_at = ?', args: [app.now().getTime()] })
  return undefined
}

async function findInstallation({ db }: App): Promise<z.output<typeof rowSchema>> {
  const add = 'insert into fw_installation (id) select ? where not exists (select 1 from fw_installation)'
  // In one write, so that a replica reads the row that another instance has added.
  const [, installation] = await db.client.batch(
    [{ sql: add, args: [newId()] }, 'select id, marked_at from fw_installation'],
    'write',
  )
  return rowSchema.parse(installation?.rows[0])
}

async function readMarker(storage: FileStorage): Promise<string | undefined> {
  const bytes = await storage.read(MARKER)
  return bytes ? (await text(bytes)).trim() : undefined
}

/** Writes the marker before the first file of this process, so that the storage is known from the start. */
export const markStorage = (app: App): Promise<void> =>
  app.memo('file-storage-marked', async () => {
    // The write of the file reports a storage that fails.
    const fault = await findOwnerFault(app).catch(String)
    if (fault !== undefined) app.log.warn('files of this storage are not deleted', { reason: fault })
  })
