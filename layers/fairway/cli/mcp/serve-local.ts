import type { Readable, Writable } from 'node:stream'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { localMcpServer } from '../../server/domains/mcp'
import { localSession, openLocalApp } from '../local-app'
import { reasonOf } from './endpoint'
import { hostDeclarations } from './host-declarations'

// `fw.mjs` changes to the application's folder first.
const root = process.cwd()

export interface ServeLocalInput {
  stdin: Readable
  stdout: Writable
  say(line: string): void
}

/**
 * Serves the declarations of this folder's application on standard input and output until the host ends. Runs in this process as
 * the local person; throws the same errors as `fw action`.
 */
export async function serveLocal({ stdin, stdout, say }: ServeLocalInput): Promise<void> {
  // Standard output is reserved for the protocol, so the console output of actions goes to standard error.
  Object.assign(console, { log: console.error, info: console.error, debug: console.error })
  const app = await openLocalApp(root)
  try {
    const { email, create } = await localMcpServer(app, await hostDeclarations(root), () => localSession(app))
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
