import type { Mutex } from '../shared/mutex'
import type { DesktopApp, HubApp } from './eligibility'
import { type DesktopHost, appPartition, HUB_PARTITION } from './host'
import type { StatusBoard } from './status-board'
import type { Place } from './wire'

/** One sign-in and what follows from it; whatever belongs to an ended one is stale. */
export interface Run {
  readonly signal: AbortSignal
  /** Applications that are being signed in to, each once. */
  readonly underWay: Map<string, Promise<void>>
  /** The one reading of the hub's applications that is under way. */
  refreshing?: Promise<void>
}

/** Everything the parts of the broker share. */
export interface Workspace {
  readonly host: DesktopHost
  /** The hub's origin. */
  readonly hub: string
  /** Those of the shell's configuration, and the hub's own where they are shown. */
  apps: readonly DesktopApp[]
  readonly showsCanonical: boolean
  readonly allowLoopback: boolean
  readonly board: StatusBoard
  /** One partition is worked on by one thing at a time. */
  readonly mutex: Mutex
  /** Ends of the watches for late sessions, by partition. */
  readonly watches: Map<string, () => void>
  /** Signing out is under way. */
  isLeaving: boolean
  /** Partitions that could not be cleaned up. */
  readonly unclean: Set<string>
  /** The applications as the hub told them last. */
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

/** The hub as a place to ask; with a run the asking ends with it. */
export const hubPlace = ({ hub }: Workspace, run?: Run): Place => ({
  partition: HUB_PARTITION,
  origin: hub,
  signal: run?.signal,
})

/** An application as a place to ask; with a run the asking ends with it. */
export const appPlace = ({ id, origin }: DesktopApp, run?: Run): Place => ({
  partition: appPartition(id),
  origin,
  signal: run?.signal,
})
