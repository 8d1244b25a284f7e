import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

const manifestSchema = z.object({
  version: z.string(),
  dependencies: z.record(z.string(), z.string()),
  engines: z.object({ node: z.string() }),
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
