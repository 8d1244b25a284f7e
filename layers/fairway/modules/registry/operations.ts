import { join } from 'node:path'
import { addServerHandler, addServerTemplate, addTemplate, addTypeTemplate, type useNuxt } from '@nuxt/kit'
import { CATALOGS, operationRoutes } from './catalogs'
import { restartWhenChanged } from './follow-declarations'
import { type FoundOperation, findOperations } from './operation-files'
import { platformDir } from './roots'

/** The operations of the platform are served at their addresses, and pages call them by name. */
export function registerOperations(nuxt: ReturnType<typeof useNuxt>): void {
  const found = findOperations()
  addServerTemplate({ filename: '#fw/operations', getContents: CATALOGS['#fw/operations'] })
  addTypeTemplate(
    { filename: 'types/fw-operations.d.ts', getContents: () => typesOf(found) },
    { nitro: true, nuxt: true },
  )
  addTemplate({ filename: 'fw-operations.ts', write: true, getContents: () => clientTable(found) })
  const handler = join(platformDir, 'server/mounted/operation')
  for (const route of operationRoutes()) addServerHandler({ route, handler, lazy: true })
  for (const file of new Set(found.map(each => each.file)))
    restartWhenChanged(nuxt, file, () => JSON.stringify(findOperations()))
}

// Ambient declarations: a top-level import or export would turn this file into a module of its own.
function typesOf(found: readonly FoundOperation[]): string {
  const actions = JSON.stringify(join(platformDir, 'server/domains/actions'))
  const rows = found.map(({ name, file }) => {
    const declared = `(typeof import(${JSON.stringify(file.replace(/\.ts$/, ''))}))['default'][${JSON.stringify(name)}]`
    return `    ${JSON.stringify(name)}: import(${actions}).OperationTypeOf<${declared}>\n`
  })
  return (
    `declare module '#fw/operations' {\n  export const operations: import(${actions}).OperationEntry[]\n` +
    `  export interface OperationTypes {\n${rows.join('')}  }\n}\n`
  )
}

/** All that a browser needs besides types: where each one is. */
const clientTable = (found: readonly FoundOperation[]): string =>
  `export const operationRoutes = {\n${found
    .map(({ name, method, path }) => `  ${JSON.stringify(name)}: ${JSON.stringify(`${method} ${path}`)},\n`)
    .join('')}} as const\n`
