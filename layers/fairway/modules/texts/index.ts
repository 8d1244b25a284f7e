import { addTemplate, defineNuxtModule } from '@nuxt/kit'
import { defu } from 'defu'
import { type Catalog, FEATURE_FILES, FEATURES, featureOf, readTexts, textFiles } from './read-texts'

/**
 * Gives `#build/texts/<feature>`: the catalogs of the application over those of the platform. English comes by feature, so that the
 * first page does not load the texts of every page; a group that the platform does not know comes with the frame.
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
    for (const feature of FEATURES)
      add(feature, () => Object.fromEntries(Object.entries(texts.en).filter(([group]) => featureOf(group) === feature)))
    // An application may have texts in English alone.
    add('de', () => defu(texts.de, texts.en))
    nuxt.options.watch.push(...textFiles(nuxt, 'en'), ...textFiles(nuxt, 'de'), FEATURE_FILES)
  },
})
