import { isProvider } from '../../server/domains/oauth-client/is-provider'
import { discoverAll } from './discover'
import { loadDeclarations } from './load-declarations'
import type { DeclarationFile } from './names'

const PLACE = 'server/providers'
const kind = { plural: 'providers', maker: 'defineProvider', isOne: isProvider }

/** The files in which the application declares external providers. */
export const providerFiles = (rootDir: string): DeclarationFile[] => discoverAll(rootDir, PLACE)

/** Loads every provider file; throws DeclarationError with all faults at once. */
export const loadProviders = (rootDir: string) => loadDeclarations(rootDir, providerFiles(rootDir), kind)
