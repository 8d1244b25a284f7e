// The kinds of declarations, each with its folder, its files and its loader. The build and the command line use the same.
import type { Action } from '../../server/domains/actions'
import { unreadAddress } from '../../server/domains/actions/address'
import { unknownCollections, unknownUploads } from '../../server/domains/actions/coerce-input'
import { isAction } from '../../server/domains/actions/define-action'
import { collectionFaults } from '../../server/domains/collections/served-collection'
import { isCollection } from '../../server/domains/collections/collection'
import { isProvider } from '../../server/domains/oauth-client/define-provider'
import type { McpDeclarations } from '../../server/domains/mcp'
import { join } from 'node:path'
import { readServerTexts } from '../../server/kernel/locale-files'
import { isUpload } from '../../server/domains/files/define-upload'
import { isJob } from '../../server/kernel/jobs/job'
import { isMail } from '../../server/kernel/mail/define-mail'
import { mailFaults } from '../../server/kernel/mail/mail-faults'
import { isDeclared } from '../../server/kernel/declaration'
import {
  addressedActions,
  collectionFiles,
  jobFiles,
  mailFiles,
  MCP_LISTS,
  mcpFiles,
  providerFiles,
  uploadFiles,
} from './catalogs'
import { withAddress } from './action-addresses'
import type { DeclarationFile } from './discover'
import { platformDir } from './roots'
import {
  loadDeclarations,
  type LoadOptions,
  loadFwConfig,
  DeclarationError,
  type DeclarationKind,
} from './load-declarations'

const actionKind = { plural: 'actions', maker: 'defineAction', isOne: isAction }

export interface LoadedAction extends DeclarationFile {
  action: Action
}

/** Loads every action file. Throws DeclarationError with all faults together. */
export async function loadActions(
  rootDir: string,
  files: readonly DeclarationFile[],
  options?: LoadOptions,
): Promise<LoadedAction[]> {
  const addressed = files.map(file => withAddress(rootDir, file))
  const loaded = await loadDeclarations(rootDir, addressed, actionKind, options)
  const collections = new Set(collectionFiles(rootDir).map(({ name }) => name))
  const uploads = new Set(uploadFiles(rootDir).map(({ name }) => name))
  const faults = loaded.flatMap(({ path, declared, address }) =>
    [
      ...unknownCollections(declared, collections),
      ...unknownUploads(declared, uploads),
      ...unreadAddress(declared, address !== undefined),
    ].map(fault => `${path}: ${fault}`),
  )
  if (faults.length > 0) throw new DeclarationError(actionKind.plural, faults)
  return loaded.map(({ declared, ...file }) => ({ ...file, action: declared }))
}

const collectionKind = { plural: 'collections', maker: 'defineCollection', isOne: isCollection }

/**
 * Loads every collection file and checks it against the application's settings. Throws DeclarationError with all faults together.
 */
export async function loadCollections(rootDir: string, files: readonly DeclarationFile[], options: LoadOptions = {}) {
  const loaded = await loadDeclarations(rootDir, files, collectionKind, options)
  const entries = loaded.map(({ name, declared }) => ({ name, collection: declared }))
  const faults = entries.length === 0 ? [] : collectionFaults(entries, (await loadFwConfig(rootDir)).collections)
  if (faults.length > 0) throw new DeclarationError(collectionKind.plural, faults)
  return loaded
}

const providerKind = { plural: 'providers', maker: 'defineProvider', isOne: isProvider }

/** Loads every provider file. Throws DeclarationError with all faults together. */
export const loadProviders = (rootDir: string, options?: LoadOptions) =>
  loadDeclarations(rootDir, providerFiles(rootDir), providerKind, options)

const jobKind = { plural: 'jobs', maker: 'defineJob', isOne: isJob }

/** Loads every job file. Throws DeclarationError with all faults together. */
export const loadJobs = (rootDir: string, options?: LoadOptions) =>
  loadDeclarations(rootDir, jobFiles(rootDir), jobKind, options)

const mailKind = { plural: 'mails', maker: 'defineMail', isOne: isMail }

/** Loads every mail file and checks that its texts exist. Throws DeclarationError with all faults together. */
export async function loadMails(rootDir: string, options?: LoadOptions) {
  const loaded = await loadDeclarations(rootDir, mailFiles(rootDir), mailKind, options)
  const { texts } = readServerTexts([join(rootDir, 'app'), join(platformDir, 'app')])
  const faults = loaded.flatMap(({ name, path, declared }) =>
    mailFaults(name, declared, texts.en?.mails).map(fault => `${path}: ${fault}`),
  )
  if (faults.length > 0) throw new DeclarationError(mailKind.plural, faults)
  return loaded
}

const uploadKind = { plural: 'uploads', maker: 'defineUpload', isOne: isUpload }

/** Loads every upload file. Throws DeclarationError with all faults together. */
export const loadUploads = (rootDir: string, options?: LoadOptions) =>
  loadDeclarations(rootDir, uploadFiles(rootDir), uploadKind, options)

type List = Exclude<keyof McpDeclarations, 'actions' | 'readFile'>
type Declaration<L extends List> = McpDeclarations[L][number]['declaration']

const kinds = {
  resources: mcpKind<Declaration<'resources'>>('resource', 'defineMcpResource'),
  prompts: mcpKind<Declaration<'prompts'>>('prompt', 'defineMcpPrompt'),
  apps: mcpKind<Declaration<'apps'>>('app', 'defineMcpApp'),
}

function mcpKind<T>(name: 'resource' | 'prompt' | 'app', maker: string): DeclarationKind<T> {
  return { plural: `MCP ${name}s`, maker, isOne: (value): value is T => isDeclared(name, value) }
}

/** Every kind of declaration: its files, and the function that makes one. */
export const DECLARED: readonly { list: (rootDir: string) => DeclarationFile[]; maker: string }[] = [
  { list: addressedActions, maker: actionKind.maker },
  { list: collectionFiles, maker: collectionKind.maker },
  { list: providerFiles, maker: providerKind.maker },
  { list: jobFiles, maker: jobKind.maker },
  { list: mailFiles, maker: mailKind.maker },
  { list: uploadFiles, maker: uploadKind.maker },
  ...MCP_LISTS.map(name => ({ list: (rootDir: string) => mcpFiles(rootDir, name), maker: kinds[name].maker })),
]

/** Loads all of them. Throws DeclarationError with all faults of a list together. */
export async function loadMcp(rootDir: string, options?: LoadOptions): Promise<Omit<McpDeclarations, 'actions'>> {
  const load = async <T>(list: List, expected: DeclarationKind<T>) => {
    const loaded = await loadDeclarations(rootDir, mcpFiles(rootDir, list), expected, options)
    return loaded.map(({ name, declared }) => ({ name, declaration: declared }))
  }
  return {
    resources: await load('resources', kinds.resources),
    prompts: await load('prompts', kinds.prompts),
    apps: await load('apps', kinds.apps),
  }
}
