import type { Readable, Writable } from 'node:stream'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { actionFiles, collectionFiles } from '../../modules/registry/catalogs'
import { loadActions, loadCollections, loadMcp } from '../../modules/registry/declarations'
import { hostFileReader, listActions } from '../../server/domains/collections'
import { localMcpServer } from '../../server/domains/mcp'
import { localSession, openLocalApp } from '../local-app'
import { reasonOf } from './endpoint'

// The command line goes to the application's folder before anything else (fw.mjs).
const root = process.cwd()

export interface ServeLocalInput {
  stdin: Readable
  stdout: Writable
  say(line: string): void
}

/** Serves what this folder's application declares on standard input and output, in this process and as the local person, until the host ends. Throws what `fw action` throws. */
export async function serveLocal({ stdin, stdout, say }: ServeLocalInput): Promise<void> {
  // The protocol has standard output for itself, whatever an action writes.
  Object.assign(console, { log: console.error, info: console.error, debug: console.error })
  const app = await openLocalApp(root)
  try {
    const actions = await loadActions(root, actionFiles(root))
    const collections = await loadCollections(root, collectionFiles(root))
    const entries = collections.map(({ name, declared }) => ({ name, collection: declared }))
    const readFile = hostFileReader(entries)
    const declared = { actions: [...actions, ...listActions(entries, actions)], ...(await loadMcp(root)), readFile }
    const { email, create } = await localMcpServer(app, declared, () => localSession(app))
    say(`Acting as ${email}.`)
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    stdin.once('end', end)
    stdin.once('close', end)
    stdout.once('error', end)
    const transport = new StdioServerTransport(stdin, stdout)
    const served = serveStdio(create, { transport, onerror: error => say(reasonOf(error)) })
    await ended
    await served.close()
  } finally {
    await app.db.close()
  }
}
