// Which names files have without an import: the application's on the server, and the platform's own composables.
// h3 has a `getSession` of its own that would be auto-imported and *creates* a session: authors get `#fw`'s instead. The bundler
// makes its context out of Nitro's options, types come from another: both are changed.
import { useNitro, type useNuxt } from '@nuxt/kit'
import type { NuxtHooks } from 'nuxt/schema'
import { NAMES_OF_FW, SESSIONS_OF_H3 } from '../registry/catalogs'
import { platformDir, isPlatformFile } from '../registry/roots'

/**
 * Nitro's auto-imports, for the application's files. The platform imports what it uses: its files are left as they are, so that no
 * name of an application's gets into them.
 */
export function serverImports(nuxt: ReturnType<typeof useNuxt>): void {
  nuxt.hook('nitro:config', config => {
    if (config.imports === false) return
    config.imports ??= {}
    const excluded = [config.imports.exclude ?? []].flat()
    config.imports.exclude = [...excluded, new RegExp(`^${RegExp.escape(platformDir)}/`)]
  })
  nuxt.hook('nitro:init', async () => {
    const { options, unimport } = nuxt.runWithContext(useNitro)
    if (!options.imports) return
    // Twice, because the bundler makes a context of its own out of the options, and types come from this one.
    options.imports.imports = [...(options.imports.imports ?? []), ...NAMES_OF_FW]
    options.imports.presets = (options.imports.presets ?? []).map(preset =>
      typeof preset !== 'string' && 'imports' in preset && preset.from === 'h3'
        ? { ...preset, imports: preset.imports.filter(each => !SESSIONS_OF_H3.includes(String(each))) }
        : preset,
    )
    if (!isUnimport(unimport)) return
    const context = unimport.getInternalContext()
    const others = context.staticImports.filter(({ from, name }) => !(from === 'h3' && SESSIONS_OF_H3.includes(name)))
    await context.replaceImports([...others, ...NAMES_OF_FW])
  })
}

type Unimport = Parameters<NuxtHooks['imports:context']>[0]

// Nitro's own types leave it open what this is.
const isUnimport = (value: unknown): value is Unimport =>
  typeof value === 'object' && value !== null && 'getInternalContext' in value

/**
 * A composable of the application's with the name of one of the platform's is used by the application alone: the platform's own
 * files go on with their own. An upgrade may so bring names that an application has already.
 */
export function ownComposables(nuxt: ReturnType<typeof useNuxt>): void {
  const ours = new Map<string, string>()
  nuxt.hook('imports:extend', all => {
    for (const { as, name, from } of all) if (isPlatformFile(from)) ours.set(as ?? name, from)
  })
  nuxt.hook('imports:context', context => {
    context.getInternalContext().addons.push({
      name: 'own-composables',
      injectImportsResolved: (imports, _code, id) =>
        id !== undefined && isPlatformFile(id) ? imports.map(each => toOwn(each, ours)) : imports,
    })
  })
}

function toOwn<T extends { as?: string; name: string; from: string }>(each: T, ours: ReadonlyMap<string, string>): T {
  const from = ours.get(each.as ?? each.name)
  return from === undefined ? each : { ...each, from }
}
