import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setJsonEntry } from '../hosts/json-entry'
import type { PlatformManifest } from './package-source'

/** The oldest Node.js that runs the platform. */
export const OLDEST_NODE = 24

/**
 * Adds a Node.js from npm to a package.json when this machine's is too old. It is optional: npm installs the one for the machine.
 */
export const withOwnNode = (text: string, { nodePackages }: PlatformManifest): string =>
  isMachineNodeTooOld()
    ? Object.entries(nodePackages).reduce(
        (before, [name, version]) => setJsonEntry(before, 'optionalDependencies', name, version),
        text,
      )
    : text

/** Checks the first Node.js in PATH that is not from a package: the one that runs this process may come from npm. */
function isMachineNodeTooOld(): boolean {
  const program = process.platform === 'win32' ? 'node.exe' : 'node'
  const path = [
    ...(process.env.PATH ?? '').split(delimiter).map(folder => join(folder, program)),
    process.execPath,
  ].find(file => !/[\\/]node_modules[\\/]/.test(file) && existsSync(file))
  if (path === undefined) return true
  const { stdout } = spawnSync(path, ['--print', 'process.versions.node'], { encoding: 'utf8' })
  return Number.parseInt(stdout, 10) < OLDEST_NODE
}
