// The addresses of actions, read from the syntax of their files: the build mounts them before it runs any code. Vitest's configuration
// loads this file, so it imports no server code.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Expression, parseSync } from 'oxc-parser'
import type { DeclarationFile } from './discover'
import { argumentOf, textOf } from './operation-files'

interface Address {
  method: string
  route: string
}

/** The file of an action, with the address that its source declares. */
export type ActionFile = DeclarationFile & { address?: Address }

/** Adds to each file the address in its source. */
export const withAddress = (rootDir: string, file: DeclarationFile): ActionFile => {
  const address = readAddress(readFileSync(join(rootDir, file.path), 'utf8'))
  return address ? { ...file, address } : file
}

/** The address in the source of an action. Undefined if it has none, or none that can be read without running it. */
export function readAddress(source: string): Address | undefined {
  if (!/\bpath\b/.test(source)) return undefined
  const { program, errors } = parseSync('action.ts', source)
  const exported = program.body.find(node => node.type === 'ExportDefaultDeclaration')
  const options = exported && argumentOf(exported.declaration as Expression, 'defineAction')
  // A broken file is reported where it is loaded.
  if (errors.length > 0 || !options) return undefined
  const [method, route] = [textOf(options, 'method'), textOf(options, 'path')]
  return method && route ? { method, route } : undefined
}

/** Actions with the same address, and those whose path has other names for its parameters. Each fault names the files. */
export function sharedAddresses(files: readonly ActionFile[]): string[] {
  const addressed = files.flatMap(({ path, address }) => (address ? [{ path, ...address }] : []))
  return [...Map.groupBy(addressed, ({ route }) => shapeOf(route)).values()].flatMap(same =>
    same.flatMap((one, at) =>
      same.slice(0, at).flatMap(other => {
        if (one.route !== other.route)
          return [`${other.path} and ${one.path}: ${other.route} and ${one.route} must name their parameters alike`]
        return one.method === other.method
          ? [`${other.path} and ${one.path}: both are at ${one.method} ${one.route}`]
          : []
      }),
    ),
  )
}

/** Actions at the path of a route. Each fault names both files. */
export const routesOfActions = (
  files: readonly ActionFile[],
  routes: readonly { route?: string; handler: string }[],
): string[] =>
  files.flatMap(({ path, address }) => {
    const other = address && routes.find(({ route }) => route && shapeOf(route) === shapeOf(address.route))
    return other ? [`${path} and ${other.handler}: both are at ${address.route}`] : []
  })

const shapeOf = (route: string): string => route.replaceAll(/:\w+/g, ':').replace(/\/$/, '')
