import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { getLayerDirectories, useLogger, type useNuxt } from '@nuxt/kit'
import { published } from '../../published'
import { filesBelow, NO_SOURCES } from '../registry/discover'
import { platformDir, isPlatformFile, withShortPaths } from '../registry/roots'
import { readCatalog, textFilesIn } from '../texts/read-texts'
import { languagesIn } from '../../server/kernel/locale-files'

export interface FoundComponent {
  pascalName: string
  filePath: string
}

/** The folders that contain an application's replacements, including those of layers between it and the platform. */
export interface ApplicationFolders {
  app: string
  public: string
}

/** Files that replace the platform's file at the same path. */
const BY_PLACE = /^(pages|layouts|middleware)\/|^(app|error)\.vue$|^app\.config\.ts$/

/**
 * Logs in one line of the build what the application replaces. Warns about files that replace nothing, or parts that may change.
 */
export function reportReplaced(nuxt: ReturnType<typeof useNuxt>): void {
  let components: readonly FoundComponent[] = []
  nuxt.hook('components:extend', registered => {
    components = registered
  })
  nuxt.hook('build:before', () => {
    const folders = getLayerDirectories(nuxt).filter(({ app }) => !isPlatformFile(app))
    const { names, warnings } = findReplaced(folders, components)
    const logger = useLogger('application')
    if (names.length > 0) logger.info(`replaced by the application: ${names.join(', ')}`)
    for (const warning of warnings) logger.warn(withShortPaths(warning, nuxt.options.rootDir))
  })
}

/** The replacements of an application by name, with warnings about likely mistakes. */
export function findReplaced(folders: readonly ApplicationFolders[], components: readonly FoundComponent[]) {
  const ours = new Map(filesBelow(join(platformDir, 'app/components')).map(file => [nameOf(file), file]))
  // Modules add components that are not part of the application.
  const ownComponents = components.filter(({ filePath }) => folders.some(({ app }) => filePath.startsWith(app)))
  const replacing = ownComponents.filter(({ pascalName }) => ours.has(pascalName))
  const places = folders.flatMap(({ app }) =>
    filesBelow(app, NO_SOURCES).filter(file => BY_PLACE.test(file) && existsSync(join(platformDir, 'app', file))),
  )
  const statics = folders.flatMap(folder =>
    filesBelow(folder.public).filter(file => existsSync(join(platformDir, 'public', file))),
  )
  const texts = new Set(folders.flatMap(({ app }) => replacedTexts(app))).size
  return {
    names: [
      ...replacing.map(({ filePath }) => belowApp(filePath)).toSorted(),
      ...new Set(places),
      ...(texts === 0 ? [] : [texts === 1 ? '1 text' : `${texts} texts`]),
      ...new Set(statics),
    ],
    warnings: [
      ...replacing.flatMap(({ pascalName, filePath }) =>
        pascalName in published.components
          ? []
          : [
              `${filePath} replaces nuxt-fairway/app/components/${ours.get(pascalName)}, which is not published and may change with any version; give it another name unless that is meant`,
            ],
      ),
      ...ownComponents.flatMap(({ pascalName, filePath }) => {
        const name = nameOf(filePath)
        return name === pascalName || !(name in published.components)
          ? []
          : [
              `${filePath} is <${pascalName}> and replaces nothing; to replace <${name}>, name it app/components/${name}.vue`,
            ]
      }),
    ],
  }
}

const nameOf = (file: string): string => basename(file).replace(/\..*$/, '')
const belowApp = (file: string): string => file.slice(file.indexOf('/components/') + 1)

/** The keys of an application's texts that the platform has too, in any language. */
const replacedTexts = (app: string): string[] =>
  languagesIn([app, join(platformDir, 'app')]).flatMap(({ code }) => {
    const known = new Set(keysIn(join(platformDir, 'app'), code))
    return keysIn(app, code).filter(key => known.has(key))
  })

const keysIn = (app: string, language: string): string[] =>
  textFilesIn(app, language).flatMap(file => keysOf(textsOf(file)))

/** The texts of a file. Empty for a missing or broken file; modules/texts reports the latter with its line. */
function textsOf(file: string): unknown {
  try {
    return existsSync(file) ? readCatalog(file) : {}
  } catch {
    return {}
  }
}

const keysOf = (value: unknown, path = ''): string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => keysOf(inner, path === '' ? key : `${path}.${key}`))
    : [path]
