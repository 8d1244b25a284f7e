import type { Action } from '../../server/domains/actions'
import { isAction } from '../../server/domains/actions/define-action'
import { discoverAll } from './discover'
import { loadDeclarations, type LoadOptions } from './load-declarations'
import type { DeclarationFile } from './names'

/** Where actions are declared, by the application and by the platform itself. */
export const ACTION_PLACE = 'server/actions'
const kind = { plural: 'actions', maker: 'defineAction', isOne: isAction }

export interface LoadedAction extends DeclarationFile {
  action: Action
}

/** The files of every action, by name. */
export const actionFiles = (rootDir: string): DeclarationFile[] => discoverAll(rootDir, ACTION_PLACE)

/** Loads every action file; throws DeclarationError with all faults at once. */
export async function loadActions(
  rootDir: string,
  files: readonly DeclarationFile[],
  options?: LoadOptions,
): Promise<LoadedAction[]> {
  const loaded = await loadDeclarations(rootDir, files, kind, options)
  return loaded.map(({ declared, ...file }) => ({ ...file, action: declared }))
}
