import { createHash } from 'node:crypto'
import { mkdir, rm, stat } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

export interface Start {
  release(): Promise<void>
}

/** Claims the single program slot of a workspace; undefined when another program has it, which then shows its menu. */
export async function takeStart(folder: string, onAgain: () => void): Promise<Start | undefined> {
  const address = addressOf(folder)
  const server = await oneAtATime(`${folder}.starting`, async () => {
    if (await callRunning(address)) return undefined
    // No program responds, so the socket of a killed program is not in use.
    if (process.platform !== 'win32') await rm(address, { force: true })
    return listen(address, onAgain)
  })
  return server && { release: () => new Promise(resolve => server.close(() => resolve())) }
}

/** A socket file beside the data, or a named pipe; other machines and pages of a browser cannot reach either. */
function addressOf(folder: string): string {
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 12)
  return process.platform === 'win32' ? `\\\\.\\pipe\\fairway-desktop-${name}` : join(folder, '..', `${name}.sock`)
}

/** The time limit for checking and starting to listen; an older mark belongs to a start that was killed. */
const MARK_LIMIT_IN_MS = 10_000

/** No other start may check between this check for a running program and the moment this one listens. */
async function oneAtATime<T>(mark: string, work: () => Promise<T>): Promise<T> {
  while (!(await makeMark(mark))) {
    const stats = await stat(mark).catch(() => undefined)
    if (stats && Date.now() - stats.mtimeMs > MARK_LIMIT_IN_MS) await rm(mark, { recursive: true, force: true })
    await wait(20)
  }
  try {
    return await work()
  } finally {
    await rm(mark, { recursive: true, force: true })
  }
}

/** Returns false when the mark exists already; throws every other error. */
async function makeMark(mark: string): Promise<boolean> {
  try {
    await mkdir(mark, { mode: 0o700 })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

/** Whether a running program has responded. */
const callRunning = (address: string): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect(address)
    socket.setTimeout(5000, () => socket.destroy())
    socket.once('data', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('close', () => resolve(false))
  })

/** A connection has only one meaning, so its data is not read. */
const listen = (address: string, onAgain: () => void): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer(socket => {
      socket.on('error', () => undefined)
      socket.end('here\n')
      onAgain()
    })
    server.once('error', reject)
    server.listen(address, () => resolve(server))
  })
