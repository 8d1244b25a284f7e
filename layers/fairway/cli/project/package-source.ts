import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { z } from 'zod'
import { platformDir } from '../../modules/registry/roots'
import { IS_PUBLISHED, VERSION } from '../../shared/package'
import { UsageFault } from '../terminal'
import { outputOf } from './run-program'

/** The source that a project installs the platform from. */
export interface PackageSource {
  /** The value in the project's package.json. */
  dependency: string
  /** The package as a file that the project contains; missing when the package is on npm. */
  tarball?: string
  /** Removes temporary files. */
  clean(): void
}

/**
 * Resolves the platform that this text names: a file or a folder on this machine, or an npm version. Without a text it is the
 * running version: from npm, or packed when npm does not have it, as in a copy of the repository. A file is copied into the
 * project, so that the project works on any machine.
 */
export async function packageSource(spec: string | undefined, from: string): Promise<PackageSource> {
  if (spec === undefined && IS_PUBLISHED && isInstalled(platformDir))
    return plain(platformManifest(platformDir).version)
  const path = spec === undefined ? wholePlatform() : resolve(from, spec.replace(/^file:/, ''))
  if (!existsSync(path)) {
    if (spec?.startsWith('file:') || spec?.endsWith('.tgz')) throw new Error(`There is no file ${path}.`)
    return plain(spec ?? '')
  }
  if (statSync(path).isFile()) return carried(path, () => {})
  const folder = mkdtempSync(join(tmpdir(), 'fairway-package-'))
  return carried(await pack(path, folder), () => rmSync(folder, { recursive: true }))
}

/** The folder of the platform. The package create-nuxt-fairway has only a part of it. */
function wholePlatform(): string {
  if (existsSync(join(platformDir, 'nuxt.config.ts'))) return platformDir
  throw new UsageFault(`Name the platform to install: --package ./nuxt-fairway-${VERSION}.tgz`)
}

const isInstalled = (folder: string): boolean => /[\\/]node_modules[\\/]/.test(folder)

const plain = (dependency: string): PackageSource => ({ dependency, clean() {} })
const carried = (tarball: string, clean: () => void): PackageSource => ({
  dependency: `file:${basename(tarball)}`,
  tarball,
  clean,
})

/** Copies the package's file into the project, when there is one. */
export function placePackage({ tarball }: PackageSource, project: string): void {
  if (tarball) copyFileSync(tarball, join(project, basename(tarball)))
}

const packed = z.array(z.object({ filename: z.string() })).min(1)

/** Packs a package from a folder or from npm into a file, and returns its path. */
export async function pack(spec: string, folder: string): Promise<string> {
  // An installed package is already prepared; its scripts would name files that it does not contain.
  const isReady = isInstalled(spec) || !existsSync(spec)
  const options = ['--json', '--pack-destination', folder, '--loglevel=error', ...(isReady ? ['--ignore-scripts'] : [])]
  const written = await outputOf('npm', ['pack', spec, ...options], folder)
  const [{ filename }] = packed.parse(JSON.parse(written.slice(written.indexOf('[')))) as [{ filename: string }]
  return join(folder, filename)
}

/** The `overrides` of a package.json: a version, or the versions below a package. */
export const overridesSchema = z.record(z.string(), z.union([z.string(), z.record(z.string(), z.json())])).default({})

const manifestSchema = z.object({
  version: z.string(),
  dependencies: z.record(z.string(), z.string()),
  engines: z.object({ node: z.string() }),
  /** Packages with a Node.js, one for each kind of machine. */
  nodePackages: z.record(z.string(), z.string()).default({}),
  /**
   * The `overrides` of new applications. They name the versions of the build's packages that were tested together, and keep the
   * installation small.
   */
  applicationOverrides: overridesSchema,
})

export type PlatformManifest = z.output<typeof manifestSchema>

/** Reads the metadata of the package in this folder. */
export const platformManifest = (folder: string): PlatformManifest =>
  manifestSchema.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')))

/** Returns the platform's version of a package that projects also have; both must share one copy. */
export function sharedVersion({ dependencies }: PlatformManifest, name: string): string {
  const version = dependencies[name]
  if (version === undefined) throw new Error(`the platform has no ${name}`)
  return version
}
