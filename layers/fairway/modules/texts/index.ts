import { createRequire } from 'node:module'
import { join } from 'node:path'
import { addTemplate, addTypeTemplate, defineNuxtModule, getLayerDirectories } from '@nuxt/kit'
import withDefaults from 'defu'
import { compileTexts } from './compile-texts'
import { tellFault } from '../dev-server/faults'
import { platformDir } from '../registry/roots'
import { addServerModule } from '../registry/server-modules'
import {
  type Catalog,
  catalogReader,
  FEATURE_FILES,
  featureOf,
  FEATURES,
  PUBLIC_FEATURE,
  publicGroups,
  readLanguages,
  readOffered,
  readTexts,
} from './read-texts'
import { readServerTexts } from '../../server/kernel/locale-files'
import type { OfferedLanguages } from '../../server/kernel/config/languages-config'
import type { LanguageInfo } from '../../shared/languages'

/**
 * Provides `#build/texts/<feature>`: the catalogs of the application over those of the platform. English is split by feature, so
 * that the first page does not load the texts of every page. A group that the platform does not know is part of the frame, unless
 * it is in `public.json`. Every other language that is offered is one file, which `#build/languages` loads when it is chosen. The
 * server's own texts are in `#fw/texts`.
 */
export default defineNuxtModule({
  meta: { name: 'texts' },
  async setup(_options, nuxt) {
    // Read once: each change of these files restarts development.
    const offered = await readOffered(nuxt)
    const { languages } = offered
    const english = readTexts(nuxt, 'en')
    const add = (filename: string, getContents: () => string) => addTemplate({ filename, write: true, getContents })
    // Compiled immediately: an error in a text must stop the build, and a failing template does not.
    const addTexts = (name: string, texts: Catalog) => {
      const contents = `export default ${JSON.stringify(compiled(texts))}\n`
      add(`texts/${name}.ts`, () => contents)
    }
    // Development continues with the unparsed texts, so that it detects the fix.
    function compiled(texts: Catalog): Catalog {
      try {
        return compileTexts(texts)
      } catch (error) {
        if (!nuxt.options.dev) throw error
        tellFault(nuxt, 'texts', error)
        return texts
      }
    }
    const forVisitors = publicGroups(nuxt)
    const placeOf = (group: string) => (forVisitors.has(group) ? PUBLIC_FEATURE : featureOf(group))
    for (const feature of [...FEATURES, PUBLIC_FEATURE])
      addTexts(feature, Object.fromEntries(Object.entries(english).filter(([group]) => placeOf(group) === feature)))
    // An application may have texts in English only.
    for (const { code } of languages) if (code !== 'en') addTexts(code, withDefaults(readTexts(nuxt, code), english))
    add('languages.ts', () => languagesModule(offered))
    nuxt.options.app.head.htmlAttrs = { ...nuxt.options.app.head.htmlAttrs, ...htmlAttributesOf(offered) }
    const script = beforeFirstPaint(offered)
    if (script !== undefined) (nuxt.options.app.head.script ??= []).push({ innerHTML: script, tagPriority: 'critical' })
    addServerModule('#fw/texts', {
      contents: () => {
        const apps = getLayerDirectories(nuxt).map(({ app }) => app)
        return `export const readServerTexts = () => (${JSON.stringify(readServerTexts(apps, catalogReader(nuxt)))})\n`
      },
      types: () => `  export const readServerTexts: () => {
    languages: import(${JSON.stringify(join(platformDir, 'shared/languages'))}).LanguageInfo[]
    texts: Record<string, import(${JSON.stringify(join(platformDir, 'server/kernel/messages'))}).Messages>
  }
`,
    })
    // Inherited, so that the types of @nuxtjs/i18n for `$t` win where an application has it, as its `$t` does.
    addTypeTemplate({ filename: 'types/fw-short-name.d.ts', getContents: () => SHORT_NAME }, { nuxt: true })
    nuxt.options.watch.push(
      ...getLayerDirectories(nuxt).flatMap(({ app }) =>
        readLanguages(nuxt).map(({ code }) => join(app, 'locales', `${code}.json`)),
      ),
      FEATURE_FILES,
    )
  },
})

const SHORT_NAME = `interface ShortName {
  $t: import(${JSON.stringify(join(platformDir, 'app/language/texts'))}).Texts['t']
}
declare module '#app' {
  interface NuxtApp extends ShortName {}
}
declare module 'vue' {
  interface ComponentCustomProperties extends ShortName {}
}
export {}
`

/** The languages, and how the browser loads the texts of each except English. Includes the texts of Nuxt UI's components. */
function languagesModule({ languages, defaultLanguage }: OfferedLanguages): string {
  const loaders = languages
    .filter(({ code }) => code !== 'en')
    .map(
      ({ code }) =>
        `  ${JSON.stringify(code)}: async () => {\n    const [texts, components] = await Promise.all([import('./texts/${code}'), import('${componentTexts(code)}')])\n    return { texts: texts.default, components: components.default }\n  },\n`,
    )
  return `import type components from '@nuxt/ui/runtime/locale/en.js'
import type { LanguageInfo } from ${JSON.stringify(join(platformDir, 'shared/languages'))}

interface LoadedLanguage {
  texts: object
  components: typeof components
}

export const languages: readonly LanguageInfo[] = ${JSON.stringify(languages)}
export const defaultLanguage: string = ${JSON.stringify(defaultLanguage)}
export const loaders: Readonly<Record<string, () => Promise<LoadedLanguage>>> = {
${loaders.join('')}}
`
}

/** The module with the texts of Nuxt UI's own components in a language, or in English if there are none. */
function componentTexts(code: string): string {
  const { resolve } = createRequire(import.meta.url)
  const names = [code.toLowerCase().replaceAll('-', '_'), code.split('-', 1)[0], 'en']
  const modules = names.map(name => `@nuxt/ui/runtime/locale/${name}.js`)
  const isThere = (module: string) => {
    try {
      return resolve(module) !== ''
    } catch {
      return false
    }
  }
  return modules.find(isThere) ?? '@nuxt/ui/runtime/locale/en.js'
}

const isRightToLeft = ({ direction }: LanguageInfo): boolean => direction === 'rtl'

/** The language of pages that are rendered without a person, and its direction where it is from right to left. */
function htmlAttributesOf({ languages, defaultLanguage }: OfferedLanguages): { lang: string; dir?: 'rtl' } {
  const isReversed = languages.some(each => each.code === defaultLanguage && isRightToLeft(each))
  return { lang: defaultLanguage, ...(isReversed ? { dir: 'rtl' } : {}) }
}

/**
 * Sets the direction of a page in the default language before it is painted, so that the frame does not jump when the language of
 * the device loads (app/plugins/language.ts). Undefined when all languages have one direction.
 */
function beforeFirstPaint({ languages, defaultLanguage }: OfferedLanguages): string | undefined {
  const rightToLeft = languages.filter(isRightToLeft)
  if (rightToLeft.length === 0 || rightToLeft.length === languages.length) return undefined
  const anyOf = (some: readonly LanguageInfo[]) => `/^(${some.map(({ code }) => code).join('|')})\\b/i`
  const wanted = `[localStorage.getItem('fairway-language'),...navigator.languages].find(l=>${anyOf(languages)}.test(l))||d.lang`
  return `try{const d=document.documentElement;if(d.lang==='${defaultLanguage}'&&!/[?&]lang=${defaultLanguage}\\b/.test(location.search))d.dir=${anyOf(rightToLeft)}.test(${wanted})?'rtl':'ltr'}catch{}`
}
