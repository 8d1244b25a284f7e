import { join } from 'node:path'
import { createJiti } from 'jiti'
import type { Action } from '../../server/domains/actions'
import { isAction } from '../../server/domains/actions/is-action'
import { type DeclarationFile, nameFaults } from './names'

// Mails are written as components.
const jsx = { runtime: 'automatic', importSource: 'vue' } as const

export interface LoadedAction extends DeclarationFile {
  action: Action
}

/** Declarations that cannot be served; `faults` names each file and the reason. */
export class DeclarationError extends Error {
  constructor(readonly faults: string[]) {
    super(`These actions cannot be served:\n${faults.map(fault => `  - ${fault}`).join('\n')}`)
    this.name = 'DeclarationError'
  }
}

interface LoadOptions {
  /** Where the framework's own server code lies, when it is not the project itself. */
  houseDir?: string
  /** Reads files again that this process has loaded before. */
  again?: boolean
}

/** Loads every action file; throws DeclarationError with all faults at once. */
export async function loadActions(
  rootDir: string,
  files: readonly DeclarationFile[],
  options: LoadOptions = {},
): Promise<LoadedAction[]> {
  const { houseDir = rootDir } = options
  const faults = nameFaults(files)
  const alias = {
    '#fw': join(houseDir, 'server/fw.ts'),
    '#server': join(houseDir, 'server'),
    '#shared': join(houseDir, 'shared'),
  }
  const jiti = createJiti(join(houseDir, 'package.json'), { alias, moduleCache: !options.again, fsCache: true, jsx })
  const loaded: LoadedAction[] = []
  for (const file of files) {
    try {
      const action = await jiti.import(join(rootDir, file.path), { default: true })
      if (isAction(action)) loaded.push({ ...file, action })
      else faults.push(`${file.path}: the default export is not made by defineAction`)
    } catch (error) {
      faults.push(`${file.path}: does not load: ${reasonOf(error, file.path)}`)
    }
  }
  if (faults.length > 0) throw new DeclarationError(faults)
  return loaded
}

function reasonOf(error: unknown, path: string): string {
  if (!(error instanceof Error)) return String(error)
  const frame = error.stack?.split('\n').find(line => line.includes(path))
  return frame ? `${error.message} (${frame.trim()})` : error.message
}
