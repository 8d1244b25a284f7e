import { z } from 'zod'
import { defineJob } from '#fw'

export default defineJob({
  description: 'Deletes files that no row has any more, and uploads that became nothing.',
  input: z.object({ all: z.boolean().optional() }),
  schedule: '23 * * * *',
  async run({ all }, { signal, log, now }) {
    const { deleteFiles } = await import('#fairway/server/domains/files')
    const { requireRun } = await import('#fairway/server/kernel/current-run')
    // Once a day the whole storage is looked through.
    const deleted = await deleteFiles(requireRun().app, { all: all ?? now().getUTCHours() === 3, signal })
    if (deleted.files + deleted.orphans > 0) log.info('files deleted', { ...deleted })
  },
})
