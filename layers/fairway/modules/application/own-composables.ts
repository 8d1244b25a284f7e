import type { useNuxt } from '@nuxt/kit'
import { isHouse } from '../registry/roots'

/**
 * A composable of the application's with the name of one of the platform's is used by the application alone: the platform's own
 * files go on with their own. An upgrade may so bring names that an application has already.
 */
export function ownComposables(nuxt: ReturnType<typeof useNuxt>): void {
  const ours = new Map<string, string>()
  nuxt.hook('imports:extend', all => {
    for (const { as, name, from } of all) if (isHouse(from)) ours.set(as ?? name, from)
  })
  nuxt.hook('imports:context', context => {
    context.getInternalContext().addons.push({
      name: 'own-composables',
      injectImportsResolved: (imports, _code, id) =>
        id !== undefined && isHouse(id) ? imports.map(each => toOwn(each, ours)) : imports,
    })
  })
}

function toOwn<T extends { as?: string; name: string; from: string }>(each: T, ours: ReadonlyMap<string, string>): T {
  const from = ours.get(each.as ?? each.name)
  return from === undefined ? each : { ...each, from }
}
