import { join } from 'node:path'
import { defineNuxtModule, useLogger } from '@nuxt/kit'
import { h } from 'vue'
import { loadSettings } from '../brand/index'
import { CATALOGS, FRAME_PLACE, frameFiles } from '../registry/catalogs'
import { noteWhatIsWrong } from '../dev-server/faults'
import { DeclarationError, loadDeclarations, type LoadOptions } from '../registry/load-declarations'
import { platformDir } from '../registry/roots'
import { watchPlace } from '../registry/follow-declarations'
import { addServerModule, buildAgain } from '../registry/server-modules'
import type { Brand } from '../../server/kernel/config/brand'
import { languagesIn } from '../../server/kernel/locale-files'
import {
  isPageFrame,
  type PageFrame,
  renderInFrame,
  SERVER_PAGES,
  type ServerPageName,
} from '../../server/kernel/server-page/page-frame'

/** A file below server/pages becomes the frame of the server's own pages. A broken file fails the build. */
export default defineNuxtModule({
  meta: { name: 'page-frames' },
  setup(_options, nuxt) {
    const { rootDir } = nuxt.options
    addServerModule('#fw/page-frames', {
      contents: () => CATALOGS['#fw/page-frames'](rootDir),
      types: () => {
        const file = JSON.stringify(join(platformDir, 'server/kernel/server-page/page-frame'))
        return `  export const frames: import(${file}).PageFrames\n`
      },
    })
    const check = async (again: boolean) => {
      const names = await checkFrames(rootDir, (await loadSettings(nuxt)).brand, { again })
      if (names.length > 0) useLogger('pages').info(`around the server's own pages: ${names.join(', ')}`)
    }
    // Development continues, so that it detects the fix.
    const tell = (again: boolean) => noteWhatIsWrong(nuxt, 'pages', () => check(again))
    nuxt.hook('build:before', () => (nuxt.options.dev ? tell(false) : check(false)))
    if (!nuxt.options.dev) return
    watchPlace(nuxt, join(rootDir, FRAME_PLACE), async () => {
      await tell(true)
      await buildAgain(nuxt)
    })
  },
})

const kind = { plural: 'page frames', maker: 'definePageFrame', isOne: isPageFrame }
const names: readonly string[] = ['frame', ...SERVER_PAGES]

/** Loads every frame and renders its pages. Throws DeclarationError with all faults together. */
export async function checkFrames(rootDir: string, brand: Brand, options?: LoadOptions): Promise<string[]> {
  const files = frameFiles(rootDir)
  const unknown = files
    .filter(({ name }) => !names.includes(name))
    .map(({ path }) => `${path}: no page has this name; the names are ${names.join(', ')}`)
  if (unknown.length > 0) throw new DeclarationError(kind.plural, unknown)
  const loaded = await loadDeclarations(rootDir, files, kind, options)
  const faults: string[] = []
  const languages = languagesIn([join(rootDir, 'app'), join(platformDir, 'app')]).map(({ code }) => code)
  for (const { name, path, declared } of loaded) {
    const fault = await firstFault(name, declared, { brand, languages })
    if (fault) faults.push(`${path}: ${fault}`)
  }
  if (faults.length > 0) throw new DeclarationError(kind.plural, faults)
  return loaded.map(({ name }) => name)
}

async function firstFault(
  name: string,
  frame: PageFrame,
  { brand, languages }: { brand: Brand; languages: readonly string[] },
): Promise<string | undefined> {
  for (const page of SERVER_PAGES.filter(one => name === 'frame' || name === one)) {
    for (const language of languages) {
      const fault = await faultOf(frame, { page, language, brand })
      if (fault) return fault
    }
  }
  return undefined
}

async function faultOf(
  frame: PageFrame,
  { page, language, brand }: { page: ServerPageName; language: string; brand: Brand },
): Promise<string | undefined> {
  try {
    const html = await renderInFrame(frame, { page, language, brand, mark: h('p'), body: h('p') })
    const [blocked] = /<script|\s(?:style|on[a-z]+)=(?=")/i.exec(html) ?? []
    return (
      blocked &&
      `${blocked.trim()} is blocked by the page's content security policy; give rules as definePageFrame(…, { style })`
    )
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
