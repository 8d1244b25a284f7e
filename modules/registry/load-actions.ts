import type { Action } from '../../server/domains/actions'
import { isAction } from '../../server/domains/actions/is-action'
import { discover } from './discover'
import { loadDeclarations, type LoadOptions } from './load-declarations'
import type { DeclarationFile } from './names'

/** Where actions are declared: the application's own, and those of the platform itself. */
export const ACTION_PLACES = ['server/actions', 'server/platform/actions'] as const
const kind = { plural: 'actions', maker: 'defineAction', isOne: isAction }

export interface LoadedAction extends DeclarationFile {
  action: Action
}

/** The files of every action, by name. */
export const actionFiles = (rootDir: string): DeclarationFile[] =>
  ACTION_PLACES.flatMap(place => discover(rootDir, place)).toSorted((a, b) => (a.name < b.name ? -1 : 1))

/** Loads every action file; throws DeclarationError with all faults at once. */
export async function loadActions(
  rootDir: string,
  files: readonly DeclarationFile[],
  options?: LoadOptions,
): Promise<LoadedAction[]> {
  const loaded = await loadDeclarations(rootDir, files, kind, options)
  return loaded.map(({ declared, ...file }) => ({ ...file, action: declared }))
}
