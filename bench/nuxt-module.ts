import { addServerHandler, createResolver, defineNuxtModule } from '@nuxt/kit'

/** Adds the bare routes that measurements compare with, and builds beside the real output. */
export default defineNuxtModule({
  meta: { name: 'bench' },
  setup(_options, nuxt) {
    const { resolve } = createResolver(import.meta.url)
    nuxt.hook('nitro:config', config => {
      config.output = { dir: resolve('../.output-bench') }
    })
    for (const name of ['static', 'select', 'select-post', 'mcp', 'mcp-sdk', 'mcp-token']) {
      addServerHandler({ route: `/api/bench/${name}`, handler: resolve(`./routes/${name}`) })
    }
  },
})
