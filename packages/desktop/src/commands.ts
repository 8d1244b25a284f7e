import type { DesktopAnswer, DesktopCommand } from 'nuxt-fairway/desktop-wire'
import { adoptCanonical, hubPlace, keepEnabled, readEnabled, readRemembered, type Workspace } from './workspace'
import { endWatch } from './clean-up'
import { emptyProgress } from './status-board'
import { keepRevalidating, resume, retry, signIn } from './sign-in'
import { endRun, retryCleanUp, signOut } from './sign-out'
import { isHubAvailable } from './wire'

type Refusal = Extract<DesktopAnswer, { ok: false }>['code'] | undefined

export interface Commands {
  start(): Promise<void>
  stop(): void
  /** Runs a command to its end; returns the code of the refusal when the command may not run. */
  run(command: DesktopCommand): Promise<Refusal>
}

interface Held {
  /** The one running sign-in or retry; one that has ended no longer counts. */
  entering?: { ended: Promise<Refusal> }
  leaving?: Promise<void>
  stopRevalidating(): void
}

/** The commands of pages, and the order they may run in. */
export function createCommands(workspace: Workspace): Commands {
  const { host, board } = workspace
  const held: Held = { stopRevalidating: () => {} }
  const run: { [Type in DesktopCommand['type']]: (command: DesktopCommand & { type: Type }) => Promise<Refusal> } = {
    'get-status': () => Promise.resolve(undefined),
    'sign-in': () => enter(workspace, held),
    retry: () => tryAgain(workspace, held),
    'sign-out': () => leave(workspace, held, signOut),
    'set-enabled': ({ isEnabled }) => setEnabled(workspace, held, isEnabled),
  }
  const dispatch = <Type extends DesktopCommand['type']>(command: DesktopCommand & { type: Type }) =>
    run[command.type](command)
  return {
    async start() {
      const isEnabled = await readEnabled(host)
      // The shell shows these applications whether or not the person is signed in to them from here.
      adoptCanonical(workspace, (await readRemembered(host))?.apps ?? [])
      board.change({ isEnabled })
      if (isEnabled) await connect(workspace, held)
    },
    stop() {
      held.stopRevalidating()
      workspace.startRun()
      for (const partition of workspace.watches.keys()) endWatch(workspace, partition)
    },
    run: dispatch,
  }
}

async function connect(workspace: Workspace, held: Held): Promise<void> {
  const run = workspace.startRun()
  const isAvailable = await isHubAvailable(workspace.host, hubPlace(workspace, run))
  if (run.signal.aborted) return
  workspace.board.change({ isAvailable })
  held.stopRevalidating()
  held.stopRevalidating = keepRevalidating(workspace)
  if (isAvailable) await resume(workspace)
}

async function setEnabled(workspace: Workspace, held: Held, isEnabled: boolean): Promise<Refusal> {
  const { board, mutex } = workspace
  const isNew = await mutex('preference', async () => {
    if (board.progress().isEnabled === isEnabled) return false
    await keepEnabled(workspace.host, isEnabled)
    if (isEnabled) board.change({ isEnabled })
    else optOut(workspace, held)
    return true
  })
  if (isNew && isEnabled) await connect(workspace, held)
  return undefined
}

/** Stops all running work; existing sessions stay. */
function optOut(workspace: Workspace, held: Held): void {
  held.stopRevalidating()
  held.entering = undefined
  endRun(workspace)
  workspace.snapshot = []
  workspace.board.change({ ...emptyProgress, isEnabled: false })
}

async function enter(workspace: Workspace, held: Held): Promise<Refusal> {
  const { host, board } = workspace
  return exclusively(workspace, held, async isOurTurn => {
    const isAvailable = await isHubAvailable(host, hubPlace(workspace))
    if (!isOurTurn()) return undefined
    board.change({ isAvailable })
    if (!isAvailable) return 'switched-off'
    await (board.progress().email === null ? signIn(workspace) : retry(workspace))
    return undefined
  })
}

async function tryAgain(workspace: Workspace, held: Held): Promise<Refusal> {
  const { board, unclean } = workspace
  const { email, isAvailable } = board.progress()
  if (email === null) return unclean.size > 0 ? leave(workspace, held, retryCleanUp) : undefined
  if (!isAvailable) return 'switched-off'
  return exclusively(workspace, held, async () => {
    await retry(workspace)
    return undefined
  })
}

/** Runs one sign-in or retry at a time; further commands of the same kind wait for it. None runs while signing out. */
async function exclusively(
  { board }: Workspace,
  held: Held,
  work: (isOurTurn: () => boolean) => Promise<Refusal>,
): Promise<Refusal> {
  if (!board.progress().isEnabled) return 'switched-off'
  if (held.leaving) return 'busy'
  if (held.entering) return held.entering.ended
  const turn: Held['entering'] = { ended: Promise.resolve(undefined) }
  held.entering = turn
  turn.ended = work(() => held.entering === turn).finally(() => {
    if (held.entering === turn) held.entering = undefined
  })
  return turn.ended
}

/** Signing out stops all running work; concurrent calls share one sign-out. */
async function leave(
  workspace: Workspace,
  held: Held,
  work: (workspace: Workspace) => Promise<void>,
): Promise<Refusal> {
  if (!workspace.board.progress().isEnabled) return 'switched-off'
  held.entering = undefined
  workspace.isLeaving = true
  held.leaving ??= work(workspace).finally(() => {
    workspace.isLeaving = false
    held.leaving = undefined
  })
  await held.leaving
  return undefined
}
