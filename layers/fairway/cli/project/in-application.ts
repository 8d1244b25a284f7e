import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { applicationDir, findApplicationDir } from '../../modules/registry/roots'
import { endWith, UsageFault } from '../terminal'

/**
 * Runs a command that changes files of the application around this folder, and exits with the exit code that the work returns.
 */
export const inApplication = (work: (root: string) => Promise<number>): Promise<void> =>
  endWith(async () => {
    const root = findApplicationDir(process.cwd()) ?? applicationDir()
    if (!existsSync(join(root, 'package.json')))
      throw new UsageFault('There is no application here. `fw new my-app` makes one.')
    return work(root)
  })
