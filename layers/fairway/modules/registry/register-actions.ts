import { join } from 'node:path'
import { addServerTemplate, addTypeTemplate, useLogger, type useNuxt } from '@nuxt/kit'
import { followDeclarations } from './follow-declarations'
import { ACTION_PLACE, actionFiles, loadActions } from './load-actions'
import type { DeclarationFile } from './names'
import { houseDir } from './roots'

const TYPES = 'types/fw-actions.d.ts'

/** A file below server/actions, of the application or of the platform, is served because it is there, and a broken one fails the build. */
export function registerActions(nuxt: ReturnType<typeof useNuxt>): void {
  const { rootDir } = nuxt.options
  const files = () => actionFiles(rootDir)
  addServerTemplate({ filename: '#fw/actions', getContents: () => catalogModule(rootDir, files()) })
  addTypeTemplate({ filename: TYPES, getContents: () => catalogTypes(rootDir, files()) }, { nitro: true, nuxt: true })
  const load = async (again: boolean) => {
    const actions = await loadActions(rootDir, files(), { again })
    useLogger('actions').info(`${actions.length} actions: ${actions.map(action => action.name).join(', ')}`)
  }
  followDeclarations(nuxt, { places: [ACTION_PLACE], load, tag: 'actions', types: TYPES })
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
