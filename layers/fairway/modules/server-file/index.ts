import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineNuxtModule, useNitro } from '@nuxt/kit'
import { transform } from 'esbuild'
import type { Nitro } from 'nitropack/types'

/** Reduces the startup cost of a built server: its memory, and the time until it listens. */
export default defineNuxtModule({
  meta: { name: 'server-file' },
  setup(_options, nuxt) {
    if (nuxt.options.dev) return
    nuxt.hook('nitro:init', () => {
      const nitro = nuxt.runWithContext(useNitro)
      nitro.hooks.hook('rollup:before', (_nitro, config) => {
        config.plugins = [config.plugins, compact]
      })
      if (nitro.options.preset === 'node-server') nitro.hooks.hook('compiled', () => keepCompiled(nitro))
    })
  },
})

/**
 * V8 keeps the text of all loaded code, with two bytes per character unless all of them are ASCII. Names are unchanged, for stack
 * traces. Lines are short, because Node.js prints the one that threw.
 */
const compact = {
  name: 'fairway:compact',
  renderChunk: async (code: string) => {
    const options = { charset: 'ascii', minifyWhitespace: true, lineLimit: 120, target: 'esnext' } as const
    const { code: text, map } = await transform(code, { ...options, sourcemap: 'external' })
    return { code: text, map }
  },
}

/** A start reuses the compiled code of an earlier one. The cache is beside the code; without write access nothing is cached. */
const ENTRY = `import { enableCompileCache, flushCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
enableCompileCache(fileURLToPath(new URL('.compiled', import.meta.url)))
await import('./server.mjs')
setTimeout(flushCompileCache, 3000).unref()
`

async function keepCompiled({ options }: Nitro): Promise<void> {
  const { serverDir } = options.output
  await rename(join(serverDir, 'index.mjs'), join(serverDir, 'server.mjs'))
  await writeFile(join(serverDir, 'index.mjs'), ENTRY)
}
