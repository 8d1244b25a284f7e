import { join } from 'node:path'
import { addServerTemplate, addTypeTemplate, useLogger, type useNuxt } from '@nuxt/kit'
import { isProvider } from '../../server/domains/oauth-client/is-provider'
import { discover } from './discover'
import { loadDeclarations } from './load-declarations'

const PLACE = 'server/providers'

const kind = { plural: 'providers', maker: 'defineProvider', isOne: isProvider }

/** A file below server/providers can be connected when it has a client, and a broken one fails the build. */
export function registerProviders(nuxt: ReturnType<typeof useNuxt>): void {
  const { rootDir } = nuxt.options
  const files = () => discover(rootDir, PLACE)
  addServerTemplate({
    filename: '#fw/providers',
    getContents: () => {
      const paths = files().map(({ path }) => JSON.stringify(join(rootDir, path)))
      const imports = paths.map((path, index) => `import provider${index} from ${path}\n`)
      return `${imports.join('')}export const providers = [${paths.map((_path, index) => `provider${index}`).join(', ')}]\n`
    },
  })
  addTypeTemplate(
    {
      filename: 'types/fw-providers.d.ts',
      getContents: () => {
        const domain = JSON.stringify(join(rootDir, 'server/domains/oauth-client'))
        return `declare module '#fw/providers' {\n  export const providers: import(${domain}).ProviderRecord[]\n}\n`
      },
    },
    { nitro: true, nuxt: true, node: true },
  )
  nuxt.hook('build:before', async () => {
    const loaded = await loadDeclarations(rootDir, files(), kind)
    if (loaded.length > 0) useLogger('providers').info(loaded.map(({ name }) => name).join(', '))
  })
}
