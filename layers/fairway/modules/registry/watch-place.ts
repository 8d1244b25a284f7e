import { existsSync, watch } from 'node:fs'
import { dirname } from 'node:path'
import type { useNuxt } from '@nuxt/kit'

const SETTLED_IN_MS = 200

/** Calls back after each change of a folder, which may come later, go and come again; the build tool itself does not watch for new files. */
export function watchPlace(nuxt: ReturnType<typeof useNuxt>, dir: string, check: () => Promise<void>): void {
  let timer: NodeJS.Timeout | undefined
  let watcher = follow()
  nuxt.hook('close', () => {
    clearTimeout(timer)
    watcher.close()
  })

  function follow() {
    const near = nearestFolder(dir)
    const follower = watch(near, { recursive: near === dir }, changed).on('error', changed)
    // What came in between was not seen.
    if (nearestFolder(dir) !== near) changed()
    return follower

    function changed(): void {
      if (near !== dir && nearestFolder(dir) === near) return
      clearTimeout(timer)
      timer = setTimeout(again, SETTLED_IN_MS, near)
    }
  }

  /** A folder that was made anew under the same name is another one for whoever watches. */
  function again(near: string): void {
    watcher.close()
    watcher = follow()
    if (near === dir || existsSync(dir)) void check()
  }
}

/** This folder, or the next one above it that is there. */
const nearestFolder = (dir: string): string =>
  existsSync(dir) || dir === dirname(dir) ? dir : nearestFolder(dirname(dir))
