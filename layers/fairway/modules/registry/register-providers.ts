import { join } from 'node:path'
import { addServerTemplate, addTypeTemplate, useLogger, type useNuxt } from '@nuxt/kit'
import { followDeclarations } from './follow-declarations'
import { loadProviders, PROVIDER_PLACE, providerFiles } from './load-providers'
import { houseDir } from './roots'

/** A file below server/providers can be connected when it has a client, and a broken one fails the build. */
export function registerProviders(nuxt: ReturnType<typeof useNuxt>): void {
  const { rootDir } = nuxt.options
  addServerTemplate({
    filename: '#fw/providers',
    getContents: () => {
      const paths = providerFiles(rootDir).map(({ path }) => JSON.stringify(join(rootDir, path)))
      const imports = paths.map((path, index) => `import provider${index} from ${path}\n`)
      return `${imports.join('')}export const providers = [${paths.map((_path, index) => `provider${index}`).join(', ')}]\n`
    },
  })
  addTypeTemplate(
    {
      filename: 'types/fw-providers.d.ts',
      getContents: () => {
        const domain = JSON.stringify(join(houseDir, 'server/domains/oauth-client'))
        return `declare module '#fw/providers' {\n  export const providers: import(${domain}).ProviderRecord[]\n}\n`
      },
    },
    { nitro: true, nuxt: true },
  )
  const load = async (again: boolean) => {
    const loaded = await loadProviders(rootDir, { again })
    if (loaded.length > 0) useLogger('providers').info(loaded.map(({ name }) => name).join(', '))
  }
  followDeclarations(nuxt, { places: [PROVIDER_PLACE], load, tag: 'providers' })
}
