import { z } from 'zod'
import { collectionFaults } from '../../server/domains/collections/check-collections'
import { isCollection } from '../../server/domains/collections/is-collection'
import { normalizeCollectionsConfig } from '../../server/foundation/config/collections-config'
import { createLoader, DeclarationError, loadDeclarations, type LoadOptions } from './load-declarations'
import type { DeclarationFile } from './names'

const kind = { plural: 'collections', maker: 'defineCollection', isOne: isCollection }

/** Loads every collection file and looks at them beside the application's settings; throws DeclarationError with all faults at once. */
export async function loadCollections(rootDir: string, files: readonly DeclarationFile[], options: LoadOptions = {}) {
  const loaded = await loadDeclarations(rootDir, files, kind, options)
  const entries = loaded.map(({ name, declared }) => ({ name, collection: declared }))
  const faults = entries.length === 0 ? [] : collectionFaults(entries, await readSettings(rootDir, options))
  if (faults.length > 0) throw new DeclarationError(kind.plural, faults)
  return loaded
}

const fwConfigSchema = z.looseObject({ collections: z.custom<ReturnType<typeof normalizeCollectionsConfig>>() })

async function readSettings(rootDir: string, options: LoadOptions) {
  const load = createLoader(options.houseDir ?? rootDir, options)
  const parsed = fwConfigSchema.safeParse(await load('server/fw.config.ts'))
  return parsed.success ? parsed.data.collections : normalizeCollectionsConfig()
}
