import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { z } from 'zod'
import { platformDir } from '../../modules/registry/roots'
import { IS_PUBLISHED } from '../../shared/package'
import { outputOf } from './run-program'

/** The option that names it. */
export const packageArg = {
  type: 'string',
  description: 'The platform: a version, a file or a folder. Otherwise the one that runs.',
} as const

/** Where a project gets the platform from. */
export interface PackageSource {
  /** What its package.json says. */
  dependency: string
  /** The package as a file, which the project carries with it; where npm has it, it needs none. */
  tarball?: string
  /** Removes what was made to get here. */
  clean(): void
}

/**
 * The platform as this text names it: a file or a folder on this machine, or whatever npm knows. Without a text it is the version
 * that runs: from npm, or packed where npm does not have it. A file goes into the project, which can then be copied anywhere.
 */
export async function packageSource(spec: string | undefined, from: string): Promise<PackageSource> {
  if (spec === undefined && IS_PUBLISHED) return plain(platformManifest(platformDir).version)
  const path = spec === undefined ? platformDir : resolve(from, spec.replace(/^file:/, ''))
  if (!existsSync(path)) {
    if (spec?.startsWith('file:') || spec?.endsWith('.tgz')) throw new Error(`There is no file ${path}.`)
    return plain(spec ?? '')
  }
  if (statSync(path).isFile()) return carried(path, () => {})
  const folder = mkdtempSync(join(tmpdir(), 'fairway-package-'))
  return carried(await pack(path, folder), () => rmSync(folder, { recursive: true }))
}

const plain = (dependency: string): PackageSource => ({ dependency, clean() {} })
const carried = (tarball: string, clean: () => void): PackageSource => ({
  dependency: `file:${basename(tarball)}`,
  tarball,
  clean,
})

/** Puts the package's file into the project, where there is one. */
export function placePackage({ tarball }: PackageSource, project: string): void {
  if (tarball) copyFileSync(tarball, join(project, basename(tarball)))
}

const packed = z.array(z.object({ filename: z.string() })).min(1)

/** Makes the file of a package in a folder, or of one that npm knows, and gives its path. */
export async function pack(spec: string, folder: string): Promise<string> {
  // An installed package was made ready when it was packed; its scripts name files that it does not have.
  const isReady = /[\\/]node_modules[\\/]/.test(spec) || !existsSync(spec)
  const options = ['--json', '--pack-destination', folder, '--loglevel=error', ...(isReady ? ['--ignore-scripts'] : [])]
  const written = await outputOf('npm', ['pack', spec, ...options], folder)
  const [{ filename }] = packed.parse(JSON.parse(written.slice(written.indexOf('[')))) as [{ filename: string }]
  return join(folder, filename)
}

const manifestSchema = z.object({
  version: z.string(),
  dependencies: z.record(z.string(), z.string()),
  engines: z.object({ node: z.string() }),
  /** Packages with a Node.js, one for each kind of machine. */
  nodePackages: z.record(z.string(), z.string()).default({}),
  /** What new applications say as `overrides`: they keep the installation small, and an application works without them. */
  applicationOverrides: z.record(z.string(), z.record(z.string(), z.json())).default({}),
})

export type PlatformManifest = z.output<typeof manifestSchema>

/** What the package in this folder says of itself. */
export const platformManifest = (folder: string): PlatformManifest =>
  manifestSchema.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')))

/** The version that the platform has of a package that projects have too; both must be one copy. */
export function sharedVersion({ dependencies }: PlatformManifest, name: string): string {
  const version = dependencies[name]
  if (version === undefined) throw new Error(`the platform has no ${name}`)
  return version
}
