import { addVitePlugin, createResolver, defineNuxtModule } from '@nuxt/kit'

/** The Vite plugin that refuses server code in what browsers get; imports of types are gone before it looks. */
export const serverCodeWall = (serverDir: string) => ({
  name: 'server-code-wall',
  enforce: 'pre' as const,
  load(this: { error(message: string): never }, id: string) {
    if (id.startsWith(serverDir))
      this.error(`server code in the browser's bundle: server/${id.slice(serverDir.length)}`)
  },
})

export default defineNuxtModule({
  meta: { name: 'boundaries' },
  setup() {
    addVitePlugin(serverCodeWall(`${createResolver(import.meta.url).resolve('../server')}/`))
  },
})
