// Compiles the package create-nuxt-fairway: `fw new` and `fw add` in one file with all that they need, so that `npx` installs nothing
// else.
import { cpSync, globSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const platform = fileURLToPath(new URL('../layers/fairway', import.meta.url))
const folder = fileURLToPath(new URL('../packages/create', import.meta.url))
const out = join(folder, 'dist')
/** The files of the platform that these commands read. */
const READ = ['package.json', 'cli/templates', 'cli/generate/locales']
const KEYS = '\0visitor-keys'

/** Compiles the package. A second process that packs at the same time writes the same files. */
export async function compileCreate() {
  const { build } = await import('rolldown')
  const { visitorKeys } = await import('oxc-parser')
  // Its parser reads the configuration of Nuxt here already.
  const babel = createRequire(createRequire(import.meta.url).resolve('magicast')).resolve('@babel/parser')
  const appFiles = globSync('{app.vue,error.vue,{pages,layouts,components}/**/*.vue}', { cwd: join(platform, 'app') })
  rmSync(out, { recursive: true, force: true })
  await build({
    input: { create: join(platform, 'cli/create.ts') },
    platform: 'node',
    tsconfig: false,
    // The main file of jsonc-parser requires others by names that a bundler cannot follow.
    resolve: { mainFields: ['module', 'main'] },
    transform: {
      define: { __FW_APP_FILES__: JSON.stringify(appFiles.map(path => path.replaceAll('\\', '/'))) },
      target: 'node24',
    },
    plugins: [
      {
        name: 'fairway-create',
        resolveId: {
          order: 'pre',
          handler(id, importer) {
            if (id === 'oxc-parser') return join(folder, 'src/oxc-parser.mjs')
            if (id === '@babel/parser') return babel
            if (id === 'virtual:visitor-keys') return KEYS
            return id.startsWith('#fairway/')
              ? this.resolve(join(platform, id.slice('#fairway/'.length)), importer)
              : undefined
          },
        },
        load: id => (id === KEYS ? `export const visitorKeys = ${JSON.stringify(visitorKeys)}` : undefined),
        // Sources find files of the platform beside themselves: copies of those are in dist/platform.
        transform(code, id) {
          if (!id.startsWith(platform) || !code.includes('import.meta.url')) return undefined
          const url = `./platform/${relative(platform, id).split(sep).join('/')}`
          return { code: code.replaceAll('import.meta.url', `new URL(${JSON.stringify(url)}, import.meta.url).href`) }
        },
      },
    ],
    output: {
      dir: out,
      format: 'esm',
      entryFileNames: '[name].mjs',
      chunkFileNames: 'chunk-[hash].mjs',
      minify: true,
    },
    logLevel: 'warn',
  })
  for (const path of READ) cpSync(join(platform, path), join(out, 'platform', path), { recursive: true })
}
