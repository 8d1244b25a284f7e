import { join, dirname } from 'node:path'
import { existsSync, statSync, watch } from 'node:fs'
import { updateTemplates, type useNuxt } from '@nuxt/kit'
import { noteWhatIsWrong } from '../dev-server/faults'
import { type DeclarationFile, nameFaults } from './discover'
import { DeclarationError } from './load-declarations'
import { platformDir } from './roots'
import { buildAgain } from './server-modules'

interface FollowedDeclarations {
  /** Folders of the application and of the platform, for example `server/actions`. */
  places: readonly string[]
  /** The files that are there now. */
  files: () => readonly DeclarationFile[]
  /** Loads them before a build, and throws what stops it; in development the server itself looks at them when it starts. */
  load: () => Promise<void>
  /** Says in the terminal what there is. */
  tell: () => void
  /** What the terminal calls them. */
  tag: string
  /** The file of types that follows from them. */
  types?: string
  /** What else follows from which files there are; throws what must not be served. */
  renew?: () => void
}

/**
 * Looks at declarations before each build, which broken ones stop. In development a change of their text is the bundler's to
 * notice; a file that comes or goes changes what is bundled.
 */
export function followDeclarations(nuxt: ReturnType<typeof useNuxt>, followed: FollowedDeclarations): void {
  const { places, files, load, tell, tag, types, renew } = followed
  const { dev, rootDir } = nuxt.options
  const look = () =>
    noteWhatIsWrong(nuxt, tag, () => {
      const faults = nameFaults(files())
      if (faults.length > 0) throw new DeclarationError(tag, faults)
      renew?.()
    })
  nuxt.hook('build:before', async () => {
    if (dev) await look()
    else await load()
    tell()
  })
  if (!dev) return
  const paths = () =>
    files()
      .map(({ path }) => path)
      .join()
  let known = paths()
  const changed = async () => {
    if (paths() === known) return
    known = paths()
    await look()
    tell()
    await buildAgain(nuxt)
    if (types) await nuxt.runWithContext(() => updateTemplates({ filter: template => template.filename === types }))
  }
  for (const dir of [rootDir, platformDir]) for (const place of places) watchPlace(nuxt, join(dir, place), changed)
}

const SETTLED_IN_MS = 50

/** What follows the end of a build in the command that asked for it: a restart must not come before. */
const BUILD_END_IN_MS = 500

/**
 * In development everything begins again once what `read` gives at a file or a folder is no more what it was. What changes while
 * a build is under way is noticed when it has ended: Nuxt's own watcher does not see it.
 */
export function restartWhenChanged(nuxt: ReturnType<typeof useNuxt>, path: string, read: () => string): void {
  if (!nuxt.options.dev) return
  const known = read()
  const { promise: built, resolve } = Promise.withResolvers<void>()
  nuxt.hook('build:done', () => void setTimeout(resolve, BUILD_END_IN_MS))
  watchPlace(nuxt, path, async () => {
    await built
    if (read() !== known) await nuxt.callHook('restart')
  })
}

/** Calls back after each change of a file or a folder, which may come later, go and come again; the build tool itself does not watch for new files. */
export function watchPlace(nuxt: ReturnType<typeof useNuxt>, dir: string, check: () => Promise<void>): void {
  let timer: NodeJS.Timeout | undefined
  let watcher = follow()
  nuxt.hook('close', () => {
    clearTimeout(timer)
    watcher.close()
  })

  function follow() {
    const near = nearestFolder(dir)
    const follower = watch(near, { recursive: near === dir && statSync(near).isDirectory() }, changed)
    follower.on('error', changed)
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
