import { isProvider } from '../../server/domains/oauth-client/define-provider'
import { discoverAll } from './discover'
import { loadDeclarations, type LoadOptions } from './load-declarations'
import type { DeclarationFile } from './names'

/** Where providers are declared. */
export const PROVIDER_PLACE = 'server/providers'
const kind = { plural: 'providers', maker: 'defineProvider', isOne: isProvider }

/** The files in which the application declares external providers. */
export const providerFiles = (rootDir: string): DeclarationFile[] => discoverAll(rootDir, PROVIDER_PLACE)

/** Loads every provider file; throws DeclarationError with all faults at once. */
export const loadProviders = (rootDir: string, options?: LoadOptions) =>
  loadDeclarations(rootDir, providerFiles(rootDir), kind, options)
