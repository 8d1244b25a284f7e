import type { App } from '#fairway/server/kernel/app-context'
import { diskStorage } from './disk-storage'
import type { FileStorage } from './storage'

/** The storage that this application's settings choose. The library for buckets is loaded only when needed. */
export const storageOf = (app: App): Promise<FileStorage> =>
  app.memo('file-storage', async () => {
    const { files } = app.config
    if (files.kind === 'disk') return diskStorage(files.folder)
    const { bucketStorage } = await import('./bucket-storage')
    return bucketStorage(files, app.fetch)
  })
