import { join, dirname } from 'node:path'
import { existsSync, watch } from 'node:fs'
import { updateTemplates, useLogger, useNitro, type useNuxt } from '@nuxt/kit'
import { DeclarationError } from './load-declarations'
import { platformDir } from './roots'

interface FollowedDeclarations {
  /** Folders of the application and of the platform, for example `server/actions`. */
  places: readonly string[]
  /** Loads them, or those that this process knows already `again`, and says what there is; throws what stops them. */
  load: (again: boolean) => Promise<void>
  /** What the terminal calls them. */
  tag: string
  /** The file of types that follows from them. */
  types?: string
  /** Whether what has changed is read only when the server begins. */
  needsRestart?: () => boolean
}

/**
 * Looks at declarations before each build, which broken ones stop. In development they are looked at after each change, and
 * served from then on; broken ones leave the last good build in place.
 */
export function followDeclarations(nuxt: ReturnType<typeof useNuxt>, followed: FollowedDeclarations): void {
  const { places, load, tag, types, needsRestart } = followed
  let isBuilt = false
  nuxt.hook('build:before', async () => {
    await load(false)
    isBuilt = true
  })
  if (!nuxt.options.dev) return
  const changed = async () => {
    try {
      await load(true)
    } catch (error) {
      useLogger(tag).error(error instanceof DeclarationError ? error.message : error)
      return
    }
    if (!isBuilt || needsRestart?.()) return void nuxt.callHook('restart')
    await nuxt.runWithContext(async () => {
      if (types) await updateTemplates({ filter: template => template.filename === types })
      await useNitro().hooks.callHook('rollup:reload')
    })
  }
  for (const dir of [nuxt.options.rootDir, platformDir])
    for (const place of places) watchPlace(nuxt, join(dir, place), changed)
}

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

  /** A folder that was made anew under the same name is another one for its watcher. */
  function again(near: string): void {
    watcher.close()
    watcher = follow()
    if (near === dir || existsSync(dir)) void check()
  }
}

/** This folder, or the next one above it that is there. */
const nearestFolder = (dir: string): string =>
  existsSync(dir) || dir === dirname(dir) ? dir : nearestFolder(dirname(dir))
