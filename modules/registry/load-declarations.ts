import { join } from 'node:path'
import { createJiti } from 'jiti'
import { type DeclarationFile, nameFaults } from './names'

// Mails are written as components.
const jsx = { runtime: 'automatic', importSource: 'vue' } as const

/** What is declared in the files of one place. */
export interface DeclarationKind<T> {
  /** In messages: what all of them are, and what makes one. */
  plural: string
  maker: string
  isOne(value: unknown): value is T
}

/** Declarations that cannot be served; `faults` names each file and the reason. */
export class DeclarationError extends Error {
  constructor(
    plural: string,
    readonly faults: string[],
  ) {
    super(`These ${plural} cannot be served:\n${faults.map(fault => `  - ${fault}`).join('\n')}`)
    this.name = 'DeclarationError'
  }
}

export interface LoadOptions {
  /** Where the framework's own server code lies, when it is not the project itself. */
  houseDir?: string
  /** Reads files again that this process has loaded before. */
  again?: boolean
}

/** Loads a server file of the project outside of the build, with the aliases that the build knows. */
export function createLoader(rootDir: string, { houseDir = rootDir, again = false }: LoadOptions = {}) {
  const alias = {
    '#fw': join(houseDir, 'server/fw.ts'),
    '#server': join(houseDir, 'server'),
    '#shared': join(houseDir, 'shared'),
  }
  const jiti = createJiti(join(houseDir, 'package.json'), { alias, moduleCache: !again, fsCache: true, jsx })
  return (path: string): Promise<unknown> => jiti.import(join(rootDir, path), { default: true })
}

/** Loads every file of a place; throws DeclarationError with all faults at once. */
export async function loadDeclarations<T>(
  rootDir: string,
  files: readonly DeclarationFile[],
  kind: DeclarationKind<T>,
  options: LoadOptions = {},
): Promise<(DeclarationFile & { declared: T })[]> {
  const faults = nameFaults(files)
  const load = createLoader(rootDir, options)
  const loaded: (DeclarationFile & { declared: T })[] = []
  for (const file of files) {
    try {
      const declared = await load(file.path)
      if (kind.isOne(declared)) loaded.push({ ...file, declared })
      else faults.push(`${file.path}: the default export is not made by ${kind.maker}`)
    } catch (error) {
      faults.push(`${file.path}: does not load: ${reasonOf(error, file.path)}`)
    }
  }
  if (faults.length > 0) throw new DeclarationError(kind.plural, faults)
  return loaded
}

function reasonOf(error: unknown, path: string): string {
  if (!(error instanceof Error)) return String(error)
  const frame = error.stack?.split('\n').find(line => line.includes(path))
  return frame ? `${error.message} (${frame.trim()})` : error.message
}
