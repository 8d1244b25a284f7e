import { existsSync, watch } from 'node:fs'
import type { useNuxt } from '@nuxt/kit'

/** Calls back after each change of a folder of declarations; the build tool itself does not watch it for new files. */
export function watchPlace(nuxt: ReturnType<typeof useNuxt>, dir: string, check: () => Promise<void>): void {
  if (!existsSync(dir)) return
  let timer: NodeJS.Timeout | undefined
  const watcher = watch(dir, { recursive: true }, () => {
    clearTimeout(timer)
    timer = setTimeout(() => void check(), 200)
  })
  nuxt.hook('close', () => watcher.close())
}
