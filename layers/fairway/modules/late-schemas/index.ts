import { addVitePlugin, defineNuxtModule } from '@nuxt/kit'

/** Schemas that nothing parses with but what is loaded later, on few pages. */
const LATE = /\/shared\/schemas\/desktop\.ts$/
const COPY = '?late'

/** Gives those schemas a zod of their own: one for all would carry what only they need into the file that every page loads. */
export default defineNuxtModule({
  meta: { name: 'late-schemas' },
  setup() {
    addVitePlugin(
      {
        name: 'late-schemas',
        apply: 'build',
        enforce: 'pre',
        async resolveId(source, importer = '') {
          const isCopy = importer.endsWith(COPY)
          if (!isCopy && !(source === 'zod/mini' && LATE.test(importer))) return undefined
          const original = isCopy ? importer.slice(0, -COPY.length) : importer
          const resolved = await this.resolve(source, original, { skipSelf: true })
          return resolved && { ...resolved, id: resolved.id + COPY }
        },
      },
      { server: false },
    )
  },
})
