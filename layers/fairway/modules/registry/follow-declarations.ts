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
  /** The current files. */
  files: () => readonly DeclarationFile[]
  /** Loads them before a build and throws if one is broken. In development, the server itself checks them at its start. */
  load: () => Promise<void>
  /** Logs the declarations in the terminal. */
  tell: () => void
  /** Their tag in the terminal. */
  tag: string
  /** The generated file of types. */
  types?: string
  /** Updates other generated parts from the files. Throws if one must not be served. */
  renew?: () => void
}

/**
 * Checks declarations before each build, which broken ones stop. In development, the bundler notices changes in a file. An added
 * or removed file changes the bundle itself.
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
  const facts = () => JSON.stringify(files())
  let known = facts()
  const changed = async () => {
    if (facts() === known) return
    known = facts()
    await look()
    tell()
    await buildAgain(nuxt)
    if (types) await nuxt.runWithContext(() => updateTemplates({ filter: template => template.filename === types }))
  }
  for (const dir of [rootDir, platformDir]) for (const place of places) watchPlace(nuxt, join(dir, place), changed)
}

const SETTLED_IN_MS = 50

/** The time that the command requires after the end of a build. A restart must not come earlier. */
const BUILD_END_IN_MS = 500

/**
 * In development, restarts when the result of `read` for a file or a folder changes. Waits for the current build to end, because
 * Nuxt's own watcher does not see the change.
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

/**
 * Calls back after each change of a file or a folder, even if it is created, deleted or restored later. The build tool itself
 * does not watch for new files.
 */
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
    // Checks for a change that happened before the watcher was ready.
    if (nearestFolder(dir) !== near) changed()
    return follower

    function changed(): void {
      if (near !== dir && nearestFolder(dir) === near) return
      clearTimeout(timer)
      timer = setTimeout(again, SETTLED_IN_MS, near)
    }
  }

  /** A watcher does not follow a folder that was deleted and created again under the same name. */
  function again(near: string): void {
    watcher.close()
    watcher = follow()
    if (near === dir || existsSync(dir)) void check()
  }
}

/** This folder, or its nearest existing parent. */
const nearestFolder = (dir: string): string =>
  existsSync(dir) || dir === dirname(dir) ? dir : nearestFolder(dirname(dir))
