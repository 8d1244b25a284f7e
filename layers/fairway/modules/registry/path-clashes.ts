import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { DeclarationFile } from './names'
import { houseDir } from './roots'

/** A page of the application, as Nuxt has found it. */
export interface PagePath {
  path: string
  file?: string
  children?: PagePath[]
}

/** First parts of paths that the framework keeps without a file of that name. */
const RESERVED = new Map([
  ['api', 'the framework'],
  ['contexts', 'the documents of collections'],
])

/** Collections whose path something else has already; each fault names both files. */
export function pathClashes(
  files: readonly DeclarationFile[],
  pages: readonly PagePath[],
  routes: ReadonlyMap<string, string>,
): string[] {
  const all = withChildren(pages)
  return files.flatMap(file => {
    const path = `/${file.name}`
    const page = all.find(page => page.path === path || page.path.startsWith(`${path}/`))
    const owner = routes.get(file.name) ?? RESERVED.get(file.name)
    return [
      ...(page ? [`${file.path} and ${page.file ?? 'a page'}: both are at ${page.path}`] : []),
      ...(owner ? [`${file.path} and ${owner}: both are at ${path}`] : []),
    ]
  })
}

/** Every page with its whole path, those inside others too. */
export const withChildren = (pages: readonly PagePath[], parent = ''): PagePath[] =>
  pages.flatMap(page => {
    const path = page.path.startsWith('/') ? page.path : `${parent}/${page.path}`.replace(/\/+/g, '/')
    return [{ ...page, path }, ...withChildren(page.children ?? [], path)]
  })

/** The first part of each path below server/routes, and the file or folder that has it. */
export function routePlaces(rootDir: string): Map<string, string> {
  const dirs = [houseDir, rootDir].map(dir => join(dir, 'server/routes')).filter(dir => existsSync(dir))
  return new Map(dirs.flatMap(dir => readdirSync(dir).map(name => [name.split('.', 1)[0] ?? '', join(dir, name)])))
}
