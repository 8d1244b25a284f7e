import { addTemplate, defineNuxtModule } from '@nuxt/kit'
import { defu } from 'defu'
import { type Catalog, isInFrame, PARTS, readTexts, textFiles } from './read-texts'

/**
 * Gives `#build/texts/…`: the catalogs of the application over those of the platform. English comes in parts, so that the first
 * page does not load the texts of every page; a group that the platform does not know comes with the frame.
 */
export default defineNuxtModule({
  meta: { name: 'texts' },
  setup(_options, nuxt) {
    // Read once: each of these files starts development again when it changes.
    const texts = { en: readTexts(nuxt, 'en'), de: readTexts(nuxt, 'de') }
    const add = (name: string, contents: () => Catalog) =>
      addTemplate({
        filename: `texts/${name}.ts`,
        write: true,
        getContents: () => `export default ${JSON.stringify(contents())}\n`,
      })
    const english = (isIn: (group: string) => boolean) => () =>
      Object.fromEntries(Object.entries(texts.en).filter(([group]) => isIn(group)))
    add('frame', english(isInFrame))
    for (const [part, groups] of Object.entries(PARTS))
      add(
        part,
        english(group => groups.includes(group)),
      )
    // An application may have texts in English alone.
    add('de', () => defu(texts.de, texts.en))
    nuxt.options.watch.push(...textFiles(nuxt, 'en'), ...textFiles(nuxt, 'de'))
  },
})
