import { z } from 'zod'
import { desktopHubAppSchema } from '../shared/schemas/desktop'
import type { DesktopHost } from './host'
import { type DesktopApp, type HubApp, isExactOrigin } from './eligibility'
import type { Workspace } from './workspace'

const ENABLED = 'desktopSsoEnabled'
const WORKSPACE = 'desktopSsoWorkspace'

const rememberedSchema = z.strictObject({
  apps: z.array(desktopHubAppSchema),
  /** The applications that signing out began with and is not known to have ended for; null while signed in. */
  leaving: z.array(z.string()).nullable(),
})
type RememberedWorkspace = z.infer<typeof rememberedSchema>

/** Whether this device takes part; only an explicit false opts out. */
export const readEnabled = async ({ preferences }: DesktopHost): Promise<boolean> =>
  (await preferences.get(ENABLED)) !== false

/** Keeps whether this device takes part. */
export const keepEnabled = ({ preferences }: DesktopHost, isEnabled: boolean): Promise<void> =>
  preferences.set(ENABLED, isEnabled)

/** The applications of a workspace that was signed in to on this device; undefined where there is none. */
export async function readRemembered({ preferences }: DesktopHost): Promise<RememberedWorkspace | undefined> {
  return rememberedSchema.safeParse(await preferences.get(WORKSPACE)).data
}

/** Keeps the applications of the workspace for the next start; null when signed out. Neither person nor secret is in it. */
export const keepRemembered = ({ preferences }: DesktopHost, remembered: RememberedWorkspace | null): Promise<void> =>
  preferences.set(WORKSPACE, remembered)

/** Lets the hub's own applications join those of the shell, where the shell shows them without listing them. */
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
