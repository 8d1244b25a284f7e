import { existsSync, type FSWatcher, watch } from 'node:fs'
import { dirname } from 'node:path'
import type { useNuxt } from '@nuxt/kit'

/**
 * Calls back after each change of a folder of declarations; the build tool itself does not watch it for new files. Where it is not
 * there yet, the next one above it is watched until it comes.
 */
export function watchPlace(nuxt: ReturnType<typeof useNuxt>, dir: string, check: () => Promise<void>): void {
  let timer: NodeJS.Timeout | undefined
  let watcher: FSWatcher | undefined
  const checkSoon = () => {
    clearTimeout(timer)
    timer = setTimeout(() => void check(), 200)
  }
  const watchNearest = () => {
    const near = nearest(dir)
    watcher?.close()
    watcher = watch(near, { recursive: near === dir }, () => {
      if (near === dir) checkSoon()
      else if (nearest(dir) !== near) {
        watchNearest()
        // It may have been filled before it was watched.
        if (existsSync(dir)) checkSoon()
      }
    })
  }
  watchNearest()
  nuxt.hook('close', () => watcher?.close())
}

const nearest = (dir: string): string => (existsSync(dir) ? dir : nearest(dirname(dir)))
