import { join } from 'node:path'
import { addServerTemplate, addTypeTemplate, defineNuxtModule, useLogger, useNitro } from '@nuxt/kit'
import { loadBrand } from '../brand/load-brand'
import { DeclarationError } from '../registry/load-declarations'
import { houseDir } from '../registry/roots'
import { watchPlace } from '../registry/watch-place'
import { checkFrames, frameFiles, PLACE } from './load-frames'

/** A file below server/pages stands around the server's own pages because it is there, and a broken one fails the build. */
export default defineNuxtModule({
  meta: { name: 'page-frames' },
  setup(_options, nuxt) {
    const { rootDir } = nuxt.options
    addServerTemplate({
      filename: '#fw/page-frames',
      getContents: () => {
        const files = frameFiles(rootDir)
        const imports = files.map(
          ({ path }, index) => `import frame${index} from ${JSON.stringify(join(rootDir, path))}\n`,
        )
        return `${imports.join('')}export const frames = { ${files.map(({ name }, index) => `${JSON.stringify(name)}: frame${index}`).join(', ')} }\n`
      },
    })
    addTypeTemplate(
      {
        filename: 'types/fw-page-frames.d.ts',
        getContents: () => {
          const file = JSON.stringify(join(houseDir, 'server/kernel/server-page/page-frame'))
          return `declare module '#fw/page-frames' {\n  export const frames: import(${file}).PageFrames\n}\n`
        },
      },
      { nitro: true, nuxt: true },
    )
    const check = async (again: boolean) => {
      const names = await checkFrames(rootDir, await loadBrand(nuxt), { again })
      if (names.length > 0) useLogger('pages').info(`around the server's own pages: ${names.join(', ')}`)
    }
    nuxt.hook('build:before', () => check(false))
    if (nuxt.options.dev) watchPlace(nuxt, join(rootDir, PLACE), () => checkAgain(() => check(true)))
  },
})

async function checkAgain(check: () => Promise<void>): Promise<void> {
  try {
    await check()
  } catch (error) {
    // The server keeps the last good build; the terminal says what stops the next one.
    useLogger('pages').error(error instanceof DeclarationError ? error.message : error)
    return
  }
  await useNitro().hooks.callHook('rollup:reload')
}
