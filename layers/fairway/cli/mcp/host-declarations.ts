import { actionFiles, collectionFiles } from '../../modules/registry/catalogs'
import { loadActions, loadCollections, loadMcp } from '../../modules/registry/declarations'
import { hostFileReader, listActions } from '../../server/domains/collections'
import type { McpDeclarations } from '../../server/domains/mcp'

/** Loads everything that an application declares for hosts. Throws DeclarationError with all faults of a list together. */
export async function hostDeclarations(root: string): Promise<McpDeclarations> {
  const actions = await loadActions(root, actionFiles(root))
  const collections = await loadCollections(root, collectionFiles(root))
  const entries = collections.map(({ name, declared }) => ({ name, collection: declared }))
  const all = [...actions, ...listActions(entries, actions)]
  return { actions: all, ...(await loadMcp(root)), readFile: hostFileReader(entries) }
}
