import type { DesktopApp } from './desktop-app'
import { appPartition, HUB_PARTITION } from './partitions'
import type { Workspace } from './workspace'

/** Notes that a partition (the hub's without an application) could not be cleaned up, so that it can be tried again. */
export function reportUnclean({ board, unclean }: Workspace, app?: DesktopApp): void {
  unclean.add(app ? appPartition(app.id) : HUB_PARTITION)
  if (app) board.changeApp({ id: app.id, name: app.name, status: 'failed', reason: 'clean-up-failed' })
  if (board.progress().phase === 'idle') board.change({ phase: 'failed', reason: 'clean-up-failed' })
}
