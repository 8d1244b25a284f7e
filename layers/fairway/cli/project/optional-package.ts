import { createRequire } from 'node:module'
import { confirm, isCancel } from '@clack/prompts'
import { addDevDependency } from 'nypm'
import { z } from 'zod'
import { platformDir } from '../../modules/registry/roots'
import { isAtTerminal, UsageFault } from '../terminal'

const manifestSchema = z.object({ peerDependencies: z.record(z.string(), z.string()) })

/**
 * Ensures that a package which few applications need is installed. Offers to install it in an interactive terminal; otherwise
 * throws a UsageFault with the command.
 */
export async function needPackage(name: string, { root, purpose }: { root: string; purpose: string }): Promise<void> {
  const require = createRequire(`${platformDir}/package.json`)
  try {
    require.resolve(name)
    return
  } catch {
    // Not installed.
  }
  const { peerDependencies } = manifestSchema.parse(require('./package.json'))
  const spec = `${name}@${peerDependencies[name]}`
  const fault = new UsageFault(`${purpose} needs ${name}. Add it: npm install --save-dev ${spec}`)
  if (!isAtTerminal()) throw fault
  const answer = await confirm({ message: `${purpose} needs ${name}. Install it in this application?` })
  if (isCancel(answer) || !answer) throw fault
  await addDevDependency(spec, { cwd: root })
}
