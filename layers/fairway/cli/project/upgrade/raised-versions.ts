import { z } from 'zod'
import { setJsonEntry } from '../../hosts/set-json-entry'
import { PACKAGE_NAME } from '../../../shared/package'
import type { PlatformManifest } from '../platform-package'

const group = z.record(z.string(), z.string()).default({})
const manifestSchema = z.object({ dependencies: group, devDependencies: group })

interface RaiseInput {
  from: PlatformManifest
  to: PlatformManifest
  /** What package.json says of the platform from now on. */
  dependency: string
  remarks: string[]
}

/** The package.json of a project with the new version, and those of the packages that it shares with the platform. */
export function raisedVersions(text: string, { from, to, dependency, remarks }: RaiseInput): string {
  const sections = Object.entries(manifestSchema.parse(JSON.parse(text)))
  const wanted = sections.flatMap(([section, packages]) =>
    Object.entries(packages).flatMap(([name, version]) => {
      if (name === PACKAGE_NAME) return [[section, name, dependency] as const]
      const [before, after] = [from.dependencies[name], to.dependencies[name]]
      if (before === undefined || after === undefined || version === after) return []
      if (version === before) return [[section, name, after] as const]
      remarks.push(
        `package.json has ${name} ${version}, and the platform ${after}: two copies may not understand each other.`,
      )
      return []
    }),
  )
  return wanted.reduce((before, [section, name, version]) => setJsonEntry(before, section, name, version), text)
}

/** What a package.json says of the platform; undefined where it does not name it. */
export function platformDependency(text: string): string | undefined {
  const { dependencies, devDependencies } = manifestSchema.parse(JSON.parse(text))
  return dependencies[PACKAGE_NAME] ?? devDependencies[PACKAGE_NAME]
}
