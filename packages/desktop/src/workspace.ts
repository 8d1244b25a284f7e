import { type Mutex, desktopHubAppSchema } from 'nuxt-fairway/desktop-wire'
import { type DesktopApp, type HubApp, isExactOrigin } from './eligibility'
import { appPartition, type DesktopHost, HUB_PARTITION } from './host'
import type { StatusBoard } from './status-board'
import type { Place } from './wire'
import { z } from 'zod'

/** One sign-in and its work; work of an ended run is stale. */
export interface Run {
  readonly signal: AbortSignal
  /** The sign-ins to applications that are running, one for each application. */
  readonly underWay: Map<string, Promise<void>>
  /** The one running request for the hub's applications. */
  refreshing?: Promise<void>
}

/** The state that all parts of the broker share. */
export interface Workspace {
  readonly host: DesktopHost
  /** The hub's origin. */
  readonly hub: string
  /** The applications of the shell's configuration, and the hub's own where they are shown. */
  apps: readonly DesktopApp[]
  readonly showsCanonical: boolean
  readonly allowLoopback: boolean
  readonly board: StatusBoard
  /** Only one task works on a partition at a time. */
  readonly mutex: Mutex
  /** The functions that stop the watches for late sessions, by partition. */
  readonly watches: Map<string, () => void>
  /** Whether a sign-out is running. */
  isLeaving: boolean
  /** Partitions that could not be cleaned up. */
  readonly unclean: Set<string>
  /** The applications in the hub's latest response. */
  snapshot: readonly HubApp[]
  run: Run
  /** Ends the current run and begins another. */
  startRun(): Run
}

/** Ends and begins runs; the first one has begun. */
export function createRuns(): () => Run {
  const held = { controller: new AbortController() }
  return () => {
    held.controller.abort()
    held.controller = new AbortController()
    return { signal: held.controller.signal, underWay: new Map() }
  }
}

/** The hub as a request target; with a run, its requests end when the run ends. */
export const hubPlace = ({ hub }: Workspace, run?: Run): Place => ({
  partition: HUB_PARTITION,
  origin: hub,
  signal: run?.signal,
})

/** An application as a request target; with a run, its requests end when the run ends. */
export const appPlace = ({ id, origin }: DesktopApp, run?: Run): Place => ({
  partition: appPartition(id),
  origin,
  signal: run?.signal,
})

const ENABLED = 'desktopSsoEnabled'
const WORKSPACE = 'desktopSsoWorkspace'

const rememberedSchema = z.strictObject({
  apps: z.array(desktopHubAppSchema),
  /** The applications of a started sign-out that has not been confirmed for them; null while signed in. */
  leaving: z.array(z.string()).nullable(),
})
type RememberedWorkspace = z.infer<typeof rememberedSchema>

/** Whether this device takes part; only an explicit false opts out. */
export const readEnabled = async ({ preferences }: DesktopHost): Promise<boolean> =>
  (await preferences.get(ENABLED)) !== false

/** Stores whether this device takes part. */
export const keepEnabled = ({ preferences }: DesktopHost, isEnabled: boolean): Promise<void> =>
  preferences.set(ENABLED, isEnabled)

/** Returns the applications of a workspace that was signed in to on this device; undefined when there is none. */
export async function readRemembered({ preferences }: DesktopHost): Promise<RememberedWorkspace | undefined> {
  return rememberedSchema.safeParse(await preferences.get(WORKSPACE)).data
}

/** Stores the applications of the workspace for the next start; null when signed out. Contains no person and no secret. */
export const keepRemembered = ({ preferences }: DesktopHost, remembered: RememberedWorkspace | null): Promise<void> =>
  preferences.set(WORKSPACE, remembered)

/** Adds the hub's own applications to those of the shell, where the shell shows them without listing them. */
export function adoptCanonical(workspace: Workspace, snapshot: readonly HubApp[]): void {
  if (!workspace.showsCanonical) return
  const isNew = ({ appId, origin, isCanonical }: HubApp) =>
    isCanonical && isExactOrigin(origin, workspace.allowLoopback) && workspace.apps.every(({ id }) => id !== appId)
  workspace.apps = [...workspace.apps, ...snapshot.filter(isNew).map(toDesktopApp)]
}

/** The hub sends no names, so the id is used as the name. */
const toDesktopApp = ({ appId, origin }: HubApp): DesktopApp => ({
  id: appId,
  name: (appId.charAt(0).toUpperCase() + appId.slice(1)).slice(0, 60),
  origin,
  mode: 'production',
  isEnabled: true,
})
