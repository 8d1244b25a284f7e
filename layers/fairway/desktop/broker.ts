import { z } from 'zod'
import {
  desktopAnswerSchema,
  desktopCommandSchema,
  type DesktopAnswer,
  type DesktopStatus,
} from '../shared/schemas/desktop'
import { createMutex } from '../shared/mutex'
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
  /** Lets http origins of this machine count as exact origins; only for development and tests. */
  allowLoopback?: boolean
}

export interface Broker {
  /** Reads the preference and asks the hub; goes on with a workspace of an earlier start. */
  start(): Promise<void>
  /** Ends all work and all timers; sessions stay. */
  stop(): void
  /** Answers a message of a page, whatever it is; commands are answered when their work has ended. */
  handle(message: unknown): Promise<DesktopAnswer>
  /** How it stands now. */
  status(): DesktopStatus
  /** Tells every change; what it gives ends that. */
  onStatus(listener: (status: DesktopStatus) => void): () => void
  /** The applications that the shell shows now. */
  apps(): readonly DesktopApp[]
  /** To be called when the shell shows an application. */
  appLoaded(appId: string): Promise<void>
  /** Whether pages of this origin may speak with the broker: the hub's and those of the shell's applications. */
  speaksTo(origin: string): boolean
}

/** A broker for one hub; throws when the configuration is not one. */
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

/** The message as it would arrive from another process: own properties only, nothing that runs. */
function toPlain(message: unknown): unknown {
  try {
    return structuredClone(message)
  } catch {
    return undefined
  }
}
