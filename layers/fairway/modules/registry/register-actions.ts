import { join } from 'node:path'
import { addServerTemplate, addTypeTemplate, updateTemplates, useLogger, useNitro, type useNuxt } from '@nuxt/kit'
import { ACTION_PLACE, actionFiles, loadActions } from './load-actions'
import { DeclarationError } from './load-declarations'
import type { DeclarationFile } from './names'
import { houseDir } from './roots'
import { watchPlace } from './watch-place'

/** A file below server/actions, of the application or of the platform, is served because it is there, and a broken one fails the build. */
export function registerActions(nuxt: ReturnType<typeof useNuxt>): void {
  const { rootDir } = nuxt.options
  const logger = useLogger('actions')
  const files = () => actionFiles(rootDir)
  addServerTemplate({ filename: '#fw/actions', getContents: () => catalogModule(rootDir, files()) })
  addTypeTemplate(
    { filename: 'types/fw-actions.d.ts', getContents: () => catalogTypes(rootDir, files()) },
    { nitro: true, nuxt: true },
  )
  nuxt.hook('build:before', async () => {
    const actions = await loadActions(rootDir, files())
    logger.info(`${actions.length} actions: ${actions.map(action => action.name).join(', ')}`)
  })
  if (!nuxt.options.dev) return
  for (const dir of [rootDir, houseDir]) watchPlace(nuxt, join(dir, ACTION_PLACE), () => checkAgain(rootDir, files()))
}

async function checkAgain(rootDir: string, files: DeclarationFile[]): Promise<void> {
  const logger = useLogger('actions')
  try {
    const actions = await loadActions(rootDir, files, { again: true })
    logger.info(`${actions.length} actions`)
  } catch (error) {
    // The server keeps the last good build; the terminal says what stops the next one.
    logger.error(error instanceof DeclarationError ? error.message : error)
    return
  }
  await updateTemplates({ filter: template => template.filename === 'types/fw-actions.d.ts' })
  await useNitro().hooks.callHook('rollup:reload')
}

function catalogModule(rootDir: string, files: DeclarationFile[]): string {
  const imports = files.map((file, index) => `import action${index} from ${JSON.stringify(join(rootDir, file.path))}\n`)
  const entries = files.map(
    (file, index) =>
      `  { name: ${JSON.stringify(file.name)}, group: ${JSON.stringify(file.group)}, action: action${index} },\n`,
  )
  return `${imports.join('')}export const catalog = [\n${entries.join('')}]\n`
}

// Ambient declarations: a top-level import or export would turn this file into a module of its own.
function catalogTypes(rootDir: string, files: DeclarationFile[]): string {
  const actions = JSON.stringify(join(houseDir, 'server/domains/actions'))
  const rows = files.map(file => {
    const path = JSON.stringify(join(rootDir, file.path.replace(/\.ts$/, '')))
    return `    ${JSON.stringify(file.name)}: import(${actions}).ActionTypeOf<typeof import(${path}).default>\n`
  })
  return (
    `declare module '#fw/actions' {\n  export const catalog: import(${actions}).CatalogEntry[]\n}\n` +
    `declare module '#fw/action-types' {\n  export interface ActionTypes {\n${rows.join('')}  }\n}\n`
  )
}
