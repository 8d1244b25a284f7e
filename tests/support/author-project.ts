import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildNuxt, loadNuxt, useNitro } from '@nuxt/kit'
import { houseDir } from '#fairway/modules/registry/roots'

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')

/** An application elsewhere that extends the platform, with these files; with the packages of this repository, and gone when the process ends. */
export function authorProject(files: Record<string, string>): string {
  const cwd = mkdtempSync(join(tmpdir(), 'fw-author-'))
  process.once('exit', () => rmSync(cwd, { recursive: true, force: true }))
  const all = {
    'package.json': '{"private":true,"type":"module"}',
    'nuxt.config.ts': `export default { extends: [${JSON.stringify(houseDir)}] }`,
    ...files,
  }
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true })
    writeFileSync(join(cwd, path), text)
  }
  symlinkSync(join(root, 'node_modules'), join(cwd, 'node_modules'))
  return cwd
}

/** Builds the server of such a project without its pages, which take longest; gives the program to start. */
export async function buildAuthorServer(files: Record<string, string>): Promise<string> {
  const cwd = authorProject(files)
  const withoutPages = { bundle: async () => undefined }
  const overrides = { telemetry: false, logLevel: 'silent' as const, sourcemap: false, builder: withoutPages }
  const nuxt = await loadNuxt({ cwd, ready: false, overrides })
  nuxt.hook('nitro:init', () => {
    const { options } = nuxt.runWithContext(() => useNitro())
    options.renderer = undefined
    options.handlers = options.handlers.filter(({ route }) => route !== '/__nuxt_error')
    options.minify = false
    options.compressPublicAssets = false
  })
  await nuxt.ready()
  await buildNuxt(nuxt)
  await nuxt.close()
  return join(cwd, '.output/server/index.mjs')
}
