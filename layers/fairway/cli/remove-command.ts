import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { defineCommand } from 'citty'
import { houseDir } from '../modules/registry/roots'

const repository = join(houseDir, '../..')
const PROGRAM = join(repository, 'scripts/remove-sample.mjs')

const sampleCommand = defineCommand({
  meta: {
    name: 'sample',
    description: 'In the repository of the platform: take the sample application out of the root.',
  },
  args: {
    'dry-run': { type: 'boolean', description: 'Say what would move, change and go; change nothing.', default: false },
    force: { type: 'boolean', description: 'Also with changes that are not committed.', default: false },
  },
  run({ args }) {
    // Only the repository has a sample, and what knows of it is no part of the package.
    if (process.cwd() !== repository || !existsSync(PROGRAM)) {
      process.stderr.write(
        'There is no sample here. `fw remove sample` is for the repository of the platform, whose root holds one; what an application was started with is a part of it, and goes by deleting its files.\n',
      )
      process.exitCode = 1
      return
    }
    const options = [...(args['dry-run'] ? ['--dry-run'] : []), ...(args.force ? ['--force'] : [])]
    process.exitCode = spawnSync(process.execPath, [PROGRAM, ...options], { stdio: 'inherit' }).status ?? 1
  },
})

/** `fw remove`: takes out of an application what it came with. */
export const removeCommand = defineCommand({
  meta: { name: 'remove', description: 'Take out what the application came with.' },
  subCommands: { sample: sampleCommand },
})
