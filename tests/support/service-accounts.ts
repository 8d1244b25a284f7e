import { addServiceAccount, makeServiceKey, requireOrg } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import type { Session } from '#fairway/shared/schemas/session'

/** What a test chooses about an account. */
type Wanted = Partial<Parameters<typeof addServiceAccount>[2]>

/** Makes a service account of a person's organization. */
export function addAccount(app: App, by: Session, wanted: Wanted = {}): Promise<{ id: string }> {
  return addServiceAccount(app, requireOrg(by, 'manage-service-accounts'), {
    name: 'Nightly export',
    role: 'member',
    appRoles: [],
    scopes: ['mcp:read', 'mcp:write'],
    readOnly: false,
    destructive: false,
    ...wanted,
  })
}

/** Makes a key of an account. */
export const addKey = (app: App, by: Session, id: string, expiresInDays: 7 | 30 | 90 | 365 = 30) =>
  makeServiceKey(app, requireOrg(by, 'manage-service-accounts'), { id, expiresInDays })
