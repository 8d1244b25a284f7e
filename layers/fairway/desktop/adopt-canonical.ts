import type { DesktopApp } from './desktop-app'
import type { HubApp } from './eligibility'
import { isExactOrigin } from './exact-origin'
import type { Workspace } from './workspace'

/** Lets the hub's own applications join those of the shell, where the shell shows them: nobody has to list them. */
export function adoptCanonical(workspace: Workspace, snapshot: readonly HubApp[]): void {
  if (!workspace.showsCanonical) return
  const isNew = ({ appId, origin, isCanonical }: HubApp) =>
    isCanonical && isExactOrigin(origin, workspace.allowLoopback) && workspace.apps.every(({ id }) => id !== appId)
  workspace.apps = [...workspace.apps, ...snapshot.filter(isNew).map(toDesktopApp)]
}

/** The hub tells no names, so the id is one. */
const toDesktopApp = ({ appId, origin }: HubApp): DesktopApp => ({
  id: appId,
  name: (appId.charAt(0).toUpperCase() + appId.slice(1)).slice(0, 60),
  origin,
  mode: 'production',
  isEnabled: true,
})
