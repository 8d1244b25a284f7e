import { addServerHandler, createResolver, defineNuxtModule } from '@nuxt/kit'

/**
 * Adds routes for measurements to the application: a server of the MCP library to compare with, and an access token. Builds into
 * a separate output folder.
 */
export default defineNuxtModule({
  meta: { name: 'bench' },
  setup(_options, nuxt) {
    const { resolve } = createResolver(import.meta.url)
    nuxt.hook('nitro:config', config => {
      config.output = { dir: resolve('../.output-bench') }
    })
    for (const name of ['jobs', 'mcp-sdk', 'mcp-token']) {
      addServerHandler({ route: `/api/bench/${name}`, handler: resolve(`./routes/${name}`) })
    }
  },
})
