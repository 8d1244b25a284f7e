import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isHouse } from '../registry/roots'
import { overlap, toPattern } from './path-pattern'
import { whose } from './route-clashes'
import type { TakenPath } from './taken-paths'

/** A folder of files that are served as they are. */
export interface PublicFolder {
  dir: string
  baseURL?: string
}

/** Public files at a path of the platform's: they are answered before everything else. What the build itself writes is none of them. */
export function fileClashes(folders: readonly PublicFolder[], taken: readonly TakenPath[], buildDir: string): string[] {
  const own = folders.filter(({ dir }) => !isHouse(dir) && !dir.startsWith(`${buildDir}/`))
  return own.flatMap(({ dir, baseURL = '/' }) =>
    filesBelow(dir).flatMap(file => {
      const lost = addressesOf(`${baseURL}/${file}`)
        .map(toPattern)
        .flatMap(pattern => taken.find(each => overlap(each.pattern, pattern)) ?? [])[0]
      return lost
        ? [
            `${join(dir, file)}: public files are answered first, and ${lost.path} is ${whose(lost)}. Give it another name or folder`,
          ]
        : []
    }),
  )
}

/** Folders in which nobody keeps sources; where a project has no folder `app`, they lie beside its pages. */
export const NO_SOURCES = /^(\.|node_modules$)/

/** The paths of the files below a folder, without those in folders of these names; none where there is no such folder. */
export function filesBelow(dir: string, skipped = /^$/): string[] {
  if (!existsSync(dir)) return []
  return readdirSync(dir, { withFileTypes: true }).flatMap(entry => {
    if (entry.isFile()) return [entry.name]
    if (!entry.isDirectory() || skipped.test(entry.name)) return []
    return filesBelow(join(dir, entry.name), skipped).map(file => `${entry.name}/${file}`)
  })
}

/** Where a file is served: at its path, compressed ones also without their ending, and an index at its folder. */
function addressesOf(path: string): string[] {
  const plain = path.replace(/\.(gz|br)$/, '')
  return [...new Set([path, plain, plain.replace(/(^|\/)index\.html$/, '')])]
}
