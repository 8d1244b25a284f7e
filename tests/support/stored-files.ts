import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { deleteFiles, storeFile } from '#fairway/server/domains/files'
import { storageOf } from '#fairway/server/domains/files/storage-of'
import type { App } from '#fairway/server/kernel/app-context'
import { query } from './query'

/** Uploads a text as a file of this person. */
export async function aFile(
  app: App,
  bytes: string | Uint8Array = 'A text.',
  owner: { userId: string; orgId: string | null } = { userId: 'ada', orgId: 'org' },
  upload = 'scans',
): Promise<string> {
  const entry = { name: upload, upload: { accept: ['*/*'] } }
  const about = { name: 'a', size: bytes.length, entry, owner }
  const { id } = await storeFile(app, Readable.from([Buffer.from(bytes)]).iterator(), about)
  return id
}

/** Gives a file to a row that no longer exists. */
export const unwanted = (app: App, ...ids: string[]) =>
  query(
    app,
    `update fw_files set state = 'unwanted', table_name = 'scans', column_name = 'scan', row_id = 'x'
      where id in (select value from json_each(?))`,
    [JSON.stringify(ids)],
  )

export const purge = (app: App, options: { all?: boolean; most?: number } = {}): Promise<number> =>
  deleteFiles(app, { all: true, signal: new AbortController().signal, ...options })

export const isStored = async (app: App, id: string): Promise<boolean> =>
  (await (await storageOf(app)).read(id))?.destroy() !== undefined

/** The database of a new installation. */
export const newDatabase = async (): Promise<string> =>
  `file:${join(await mkdtemp(join(tmpdir(), 'fw-database-')), 'fairway.db')}`
