import { z } from 'zod'
import { deleteFiles } from '#fairway/server/domains/files'
import { requireRun } from '#fairway/server/kernel/current-run'
import { defineJob } from '#fairway/server/kernel/jobs'

export default defineJob({
  description: 'Deletes files that no row uses, and unfinished uploads.',
  input: z.object({
    all: z.boolean().optional(),
    most: z
      .int()
      .min(0)
      .optional()
      .describe('How many files of rows may be deleted. By default few, or a small share.'),
  }),
  schedule: '23 * * * *',
  async run({ all, most }, { signal, log, now }) {
    // Once a day, this checks every file.
    const count = await deleteFiles(requireRun().app, { all: all ?? now().getUTCHours() === 3, most, signal })
    if (count > 0) log.info('files deleted', { files: count })
  },
})
