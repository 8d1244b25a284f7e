import { addServerTemplate, addTypeTemplate, defineNuxtModule, useNitro } from '@nuxt/kit'

interface Route {
  route?: string
  method?: string
}

/** Whether these routes answer the template's hook of the local migration. */
export const hasHook = (routes: readonly Route[]): boolean =>
  routes.some(({ route, method }) => route === '/api/local-migration' && (method ?? 'post').toLowerCase() === 'post')

/** Tells the server whether this application has `POST /api/local-migration`, from the routes of the build itself. */
export default defineNuxtModule({
  meta: { name: 'local-migration-hook' },
  setup() {
    addServerTemplate({
      filename: '#fw/local-migration',
      getContents() {
        const { scannedHandlers, options } = useNitro()
        return `export const hasLocalMigrationHook = ${hasHook([...scannedHandlers, ...options.handlers])}\n`
      },
    })
    addTypeTemplate(
      {
        filename: 'types/fw-local-migration.d.ts',
        getContents: () => `declare module '#fw/local-migration' {\n  export const hasLocalMigrationHook: boolean\n}\n`,
      },
      { nitro: true, nuxt: true },
    )
  },
})
