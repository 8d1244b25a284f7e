// Faults in the author's sources. Each is printed once in the terminal, shown over open pages, and returned as the response while
// no server runs.
import { existsSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { isAbsolute, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { useLogger, type useNuxt } from '@nuxt/kit'
import { z } from 'zod'
import { isPlatformFile, withShortPaths } from '../registry/roots'

/** The reason why some code of the author cannot be served. */
export interface Fault {
  message: string
  /** The absolute path, if the reason names a file. */
  file?: string
  /** From 1. */
  line?: number
  /** From 0. */
  column?: number
  /** The lines around the location, with numbers. */
  frame?: string
}

type Nuxt = ReturnType<typeof useNuxt>

interface Faults {
  bySource: Map<string, Fault>
  listeners: Set<(fault: Fault | undefined) => void>
}

const known = new WeakMap<Nuxt, Faults>()

const faultsOf = (nuxt: Nuxt): Faults => {
  const faults = known.get(nuxt) ?? { bySource: new Map(), listeners: new Set() }
  known.set(nuxt, faults)
  return faults
}

/** Records the fault of one part of the build in development; undefined clears it. */
export function noteFault(nuxt: Nuxt, source: string, fault: Fault | undefined): void {
  const { bySource, listeners } = faultsOf(nuxt)
  if (!fault && !bySource.has(source)) return
  if (fault) bySource.set(source, fault)
  else bySource.delete(source)
  for (const listener of listeners) listener(currentFault(nuxt))
}

/** Records a thrown error and prints it. */
export function tellFault(nuxt: Nuxt, source: string, error: unknown): void {
  const fault = toFault(error, nuxt.options.rootDir)
  useLogger(source).error(fault.message)
  noteFault(nuxt, source, fault)
}

/** Runs a check. Records and prints what it throws, or clears the earlier fault if it succeeds. */
export async function noteWhatIsWrong(nuxt: Nuxt, source: string, look: () => unknown): Promise<void> {
  try {
    await look()
    noteFault(nuxt, source, undefined)
  } catch (error) {
    tellFault(nuxt, source, error)
  }
}

/** The fault to show; undefined if there is none. */
export const currentFault = (nuxt: Nuxt): Fault | undefined => faultsOf(nuxt).bySource.values().next().value

/** Whether this part of the build has a fault. */
export const hasFault = (nuxt: Nuxt, source: string): boolean => faultsOf(nuxt).bySource.has(source)

/** Calls back with the fault to show after each change of it. */
export const onFault = (nuxt: Nuxt, listener: (fault: Fault | undefined) => void): void => {
  faultsOf(nuxt).listeners.add(listener)
}

const placeSchema = z.object({ file: z.string().optional(), line: z.number(), column: z.number() })
const bundleErrorSchema = z.object({
  errors: z.tuple(
    [z.object({ message: z.string(), id: z.string().optional(), loc: placeSchema.optional() })],
    z.unknown(),
  ),
})

/** The reason and location in an error of the bundler, of a start, or of a check whose message names the file. */
export function toFault(error: unknown, rootDir: string): Fault {
  const bundled = bundleErrorSchema.safeParse(error).data?.errors[0]
  const text = clean(bundled?.message ?? (error instanceof Error ? error.message : String(error)), rootDir)
  const fault = { ...named(text, rootDir), ...(bundled ? bundledAt(bundled) : thrownAt(error)) }
  const path = placeOf({ file: fault.file }, rootDir)
  return withFrame({ ...fault, message: path && !text.includes(path) ? `${path}: does not load: ${text}` : text })
}

function bundledAt({ id, loc }: z.infer<typeof bundleErrorSchema>['errors'][0]): Partial<Fault> {
  const file = loc?.file ?? id
  if (!file || !isAbsolute(file)) return {}
  return { file, ...(loc ? { line: loc.line, column: loc.column } : {}) }
}

const clean = (text: string, rootDir: string): string =>
  withShortPaths(stripVTControlCharacters(text), rootDir)
    .replace(/^\[[A-Z_]+\] (.*)[^]*/, '$1')
    .trim()

/** The file in a message, with line and column if present. */
function named(message: string, rootDir: string): Partial<Fault> {
  for (const [, path = '', line, column] of message.matchAll(
    /([\w./@[\]-]+\.(?:tsx?|vue|json|sql))(?::(\d+))?(?::(\d+))?/g,
  )) {
    const file = isAbsolute(path) ? path : join(rootDir, path)
    if (existsSync(file)) return { file, ...(line ? { line: Number(line), column: Number(column ?? 1) - 1 } : {}) }
  }
  return {}
}

/**
 * The first location of an error's stack in the application, or else in the platform. Uses the source map beside the bundle.
 * After a restart of Nuxt, Node reads source maps itself.
 */
function thrownAt(error: unknown): Partial<Fault> {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const frames = [...stack.matchAll(/(?:file:\/\/|\()(\/[^\s()]+\.(?:mjs|tsx?)):(\d+):(\d+)/g)]
  const places = frames.flatMap(([, file = '', line, column]) => originOf(file, Number(line), Number(column)))
  return places.find(({ file }) => !isPlatformFile(file) && !file.includes('/node_modules/')) ?? places[0] ?? {}
}

function originOf(file: string, line: number, column: number): { file: string; line: number; column: number }[] {
  // The platform's own sources outside the bundle are those that check the author's.
  const isAuthors = /\.tsx?$/.test(file) && existsSync(file) && !isPlatformFile(file)
  if (!file.endsWith('/server.mjs')) return isAuthors ? [{ file, line, column: column - 1 }] : []
  if (!existsSync(`${file}.map`)) return []
  const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')))
  const origin = map.findOrigin(line, column)
  const source = 'fileName' in origin ? join(file, '..', origin.fileName) : ''
  if (!('lineNumber' in origin) || !existsSync(source)) return []
  return [{ file: source, line: origin.lineNumber, column: origin.columnNumber - 1 }]
}

const LINES_AROUND = 2

function withFrame(fault: Fault): Fault {
  const { file, line, column = 0 } = fault
  if (!file || !line || !existsSync(file)) return fault
  const all = readFileSync(file, 'utf8').split('\n')
  const first = Math.max(0, line - 1 - LINES_AROUND)
  const width = String(line + LINES_AROUND).length
  const rows = all.slice(first, line + LINES_AROUND).flatMap((text, at) => {
    const row = `${String(first + at + 1).padStart(width)} | ${text}`
    return first + at + 1 === line ? [row, `${' '.repeat(width)} | ${' '.repeat(column)}^`] : [row]
  })
  return { ...fault, frame: rows.join('\n') }
}

/** `server/actions/greet.ts:4:3`, as far as known; empty without a file. */
export function placeOf({ file, line, column = 0 }: Partial<Fault>, rootDir: string): string {
  if (!file) return ''
  return withShortPaths(file, rootDir) + (line ? `:${line}:${column + 1}` : '')
}
