import { addServerHandler, createResolver, defineNuxtModule } from '@nuxt/kit'

/** Adds the bare routes that measurements compare with, and builds beside the real output; only when `npm run bench` asks for it. */
export default defineNuxtModule({
  meta: { name: 'bench' },
  setup(_options, nuxt) {
    if (process.env.FW_BENCH_BUILD !== '1') return
    const { resolve } = createResolver(import.meta.url)
    nuxt.hook('nitro:config', config => {
      config.output = { dir: resolve('../.output-bench') }
    })
    for (const name of ['static', 'select', 'select-post', 'mcp', 'mcp-sdk', 'mcp-token']) {
      addServerHandler({ route: `/_fw/bench/${name}`, handler: resolve(`../bench/routes/${name}`) })
    }
  },
})
