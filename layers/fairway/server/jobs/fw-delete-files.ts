import { z } from 'zod'
import { deleteFiles } from '#fairway/server/domains/files'
import { requireRun } from '#fairway/server/kernel/current-run'
import { defineJob } from '#fairway/server/kernel/jobs'

export default defineJob({
  description: 'Deletes files that no row uses, and unfinished uploads.',
  input: z.object({ all: z.boolean().optional() }),
  schedule: '23 * * * *',
  async run({ all }, { signal, log, now }) {
    // Once a day, this checks the whole storage.
    const deleted = await deleteFiles(requireRun().app, { all: all ?? now().getUTCHours() === 3, signal })
    if (deleted.files + deleted.orphans > 0) log.info('files deleted', { ...deleted })
  },
})
