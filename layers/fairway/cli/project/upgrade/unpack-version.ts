import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { parseTarGzip } from 'nanotar'

/** Below node_modules, where what the package imports is found as it will be once it is installed; npm leaves such folders alone. */
const PLACE = 'node_modules/.fairway-upgrade'

/** Unpacks the file of a package beside the installed one, and gives its folder. */
export async function unpackVersion(tarball: string, root: string): Promise<string> {
  const folder = join(root, PLACE)
  removeUnpacked(root)
  for (const { name, data, type } of await parseTarGzip(readFileSync(tarball))) {
    const path = join(folder, normalize(name).replace(/^[^\\/]+[\\/]/, ''))
    if (type !== 'file' || !data || !path.startsWith(folder)) continue
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, data)
  }
  return folder
}

/** Removes what was unpacked. */
export const removeUnpacked = (root: string): void => rmSync(join(root, PLACE), { recursive: true, force: true })
