import { houseDir } from '../../modules/registry/roots'
import { platformManifest, sharedVersion } from './platform-package'

/** What the templates leave open. */
export function templateValues(name: string, title: string, dependency: string): Record<string, string> {
  const manifest = platformManifest(houseDir)
  return {
    name,
    title,
    quotedTitle: title.replaceAll(/['\\]/g, String.raw`\$&`),
    node: manifest.engines.node,
    'nuxt-fairway': dependency,
    'drizzle-orm': sharedVersion(manifest, 'drizzle-orm'),
    zod: sharedVersion(manifest, 'zod'),
  }
}
