import { z } from 'zod'
import {
  desktopAnswerSchema,
  desktopCommandSchema,
  type DesktopAnswer,
  type DesktopStatus,
  createMutex,
} from 'nuxt-fairway/desktop-wire'
import { appLoaded } from './provision-app'
import { createCommands } from './commands'
import { desktopAppSchema, type DesktopApp, isExactOrigin } from './eligibility'
import type { DesktopHost } from './host'
import { createStatusBoard } from './status-board'
import { createRuns, type Workspace } from './workspace'

export interface BrokerInput {
  host: DesktopHost
  /** The origin of the hub. */
  hub: string
  /** The applications that the shell shows. */
  apps: readonly DesktopApp[]
  /** Whether the shell also shows every application that the hub declares itself. */
  showsCanonical?: boolean
  /** Accepts http origins of this machine as exact origins; for development and tests only. */
  allowLoopback?: boolean
}

export interface Broker {
  /** Reads the preference and queries the hub; resumes the workspace of an earlier start. */
  start(): Promise<void>
  /** Stops all work and all timers; sessions stay. */
  stop(): void
  /** Responds to any message of a page; the response to a command follows when its work has ended. */
  handle(message: unknown): Promise<DesktopAnswer>
  /** The current status. */
  status(): DesktopStatus
  /** Calls the listener on every change; the returned function unsubscribes it. */
  onStatus(listener: (status: DesktopStatus) => void): () => void
  /** The applications that the shell currently shows. */
  apps(): readonly DesktopApp[]
  /** Call this when the shell shows an application. */
  appLoaded(appId: string): Promise<void>
  /** Whether pages of this origin may talk to the broker: the hub's and those of the shell's applications. */
  speaksTo(origin: string): boolean
}

/** Creates a broker for one hub; throws for an invalid configuration. */
export function createBroker(input: BrokerInput): Broker {
  const workspace = createWorkspace(input)
  const { board, hub } = workspace
  const commands = createCommands(workspace)
  return {
    start: commands.start,
    stop: commands.stop,
    async handle(message) {
      const command = desktopCommandSchema.safeParse(toPlain(message)).data
      if (!command) return { ok: false, code: 'unknown-command' }
      try {
        const code = await commands.run(command)
        return desktopAnswerSchema.parse(code ? { ok: false, code } : { ok: true, status: board.status() })
      } catch {
        return { ok: false, code: 'failed' }
      }
    },
    status: board.status,
    onStatus: board.onStatus,
    apps: () => workspace.apps,
    appLoaded: appId => appLoaded(workspace, appId),
    speaksTo: asked => asked === hub || workspace.apps.some(({ origin, isEnabled }) => isEnabled && origin === asked),
  }
}

function createWorkspace({ host, hub, apps, showsCanonical = false, allowLoopback = false }: BrokerInput): Workspace {
  if (!isExactOrigin(hub, allowLoopback)) throw new Error('the hub must be an exact https origin')
  const known = z.array(desktopAppSchema).parse(apps)
  if (new Set(known.map(({ id }) => id)).size < known.length) throw new Error('two applications have one id')
  const nextRun = createRuns()
  const workspace: Workspace = {
    host,
    hub,
    apps: known,
    showsCanonical,
    allowLoopback,
    board: createStatusBoard(),
    mutex: createMutex(),
    watches: new Map(),
    isLeaving: false,
    unclean: new Set(),
    snapshot: [],
    run: nextRun(),
    startRun: () => (workspace.run = nextRun()),
  }
  return workspace
}

/** Copies the message as if it came from another process: own properties only, no functions. */
function toPlain(message: unknown): unknown {
  try {
    return structuredClone(message)
  } catch {
    return undefined
  }
}
