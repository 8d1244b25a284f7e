import { verifyEmail } from '#fairway/server/domains/people'
import {
  acceptInvitation,
  createOrganization,
  invite,
  setActiveOrgId,
  requireOrg,
} from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { backgroundDone } from '#fairway/server/kernel/background'
import { withRun } from '#fairway/server/kernel/current-run'
import { newId } from '#fairway/server/kernel/crypto/random'
import type { OrgRole } from '#fairway/shared/roles'
import type { Session } from '#fairway/shared/schemas/session'
import { aMember, addPerson, addTo, sessionFor, sessionNow, signInAs } from './members'
import { query } from './query'

const LATER = 9_000_000_000_000
const openSecret = `insert into fw_one_time (hash, purpose, subject, payload, created_at, expires_at) values (?, ?, ?, '', 7, ?)`

/** Invites a new person into the inviter's organization and accepts the invitation. */
export async function bringIn(app: App, inviter: Session, role: OrgRole): Promise<Session> {
  const guest = await aMember(app)
  const run = { app, session: inviter, hasRecentSignIn: async () => true }
  const { invited } = await withRun(run, () =>
    invite(app, requireOrg(inviter, 'invite-member'), [{ email: guest.email, role }]),
  )
  await acceptInvitation(app, guest, { id: invited[0]?.id ?? '', confirm: true })
  return sessionNow(app, guest)
}

/** An account whose user does not own its address, with every kind of data and with other people in its organization. */
export async function squattedAccount(app: App) {
  const person = await addPerson(app, { emailVerified: false, email: `${newId()}@example.test` })
  const { id, email } = person
  const row = (sql: string, args: (string | number)[]) => query(app, sql, args)
  await row(
    `insert into accounts (id, user_id, account_id, provider_id, password, created_at, updated_at) values (?, ?, ?, 'credential', 'hash', 7, 7)`,
    [newId(), id, id],
  )
  await row(
    `insert into accounts (id, user_id, account_id, provider_id, created_at, updated_at) values (?, ?, ?, 'github', 7, 7)`,
    [newId(), id, id],
  )
  await row(
    `insert into passkeys (id, user_id, name, credential_id, public_key, counter, transports, backed_up, created_at)
     values (?, ?, 'Blue key', ?, 'key', 0, '', 0, 7)`,
    [newId(), id, newId()],
  )
  await row(
    `insert into two_factor (user_id, secret, active_at, last_step, created_at) values (?, 'sealed', 7, 0, 7)`,
    [id],
  )
  await row(`insert into two_factor_backup_codes (user_id, code_hash) values (?, 'hash')`, [id])
  await row(openSecret, [newId(), 'second-factor-sign-in', id, LATER])
  await row(openSecret, [newId(), 'passkey-challenge', id, LATER])
  await signInAs(app, { userId: id, email, userAgent: 'stranger' })
  const stranger = await createOrg(app, sessionFor(person))
  await leaveThingsBehind(app, stranger)
  const accomplice = await bringIn(app, stranger, 'owner')
  const friend = await bringIn(app, accomplice, 'member')
  const colleague = await aMember(app)
  await addTo(app, stranger, colleague, 'admin')
  await invite(app, requireOrg(stranger, 'invite-member'), [{ email: `${newId()}@example.test`, role: 'member' }])
  await invite(app, requireOrg(accomplice, 'invite-member'), [{ email: `${newId()}@example.test`, role: 'admin' }])
  await setActiveOrgId(app, colleague, stranger.orgId, 'test')
  await invite(app, requireOrg(await sessionNow(app, colleague), 'invite-member'), [
    { email: 'kept@example.test', role: 'member' },
  ])
  return { userId: id, email, orgId: String(stranger.orgId), stranger, accomplice, friend, colleague }
}

async function createOrg(app: App, session: Session): Promise<Session> {
  await createOrganization(app, session, { name: 'Squat', confirm: true })
  return { ...(await sessionNow(app, session)), emailVerified: false }
}

async function leaveThingsBehind(app: App, { userId, orgId, email }: Session): Promise<void> {
  const row = (sql: string, args: (string | number | null)[]) => query(app, sql, args)
  const vault = `insert into vault_credentials (id, org_id, user_id, key, ciphertext, key_id, last_four, created_at, updated_at)
    values (?, ?, ?, ?, 'sealed', 'k', 'abcd', 7, 7)`
  await row(vault, [newId(), null, userId, 'OWN_KEY'])
  await row(vault, [newId(), orgId, null, 'TEAM_KEY'])
  await row(`insert into oauth_tokens (user_id, provider, access_token) values (?, 'google', 'sealed')`, [userId])
  await row(
    `insert into fw_one_time (hash, purpose, subject, created_at, expires_at) values (?, 'connection', ?, 7, ?)`,
    [newId(), userId, LATER],
  )
  await row(
    `insert into oauth_grants (id, client_id, client_name, user_id, email, org_id, scope, resource, created_at, expires_at)
     values (?, 'client', 'Odd App', ?, ?, ?, 'mcp:read', 'r', 7, ?)`,
    [newId(), userId, email, orgId, LATER],
  )
  await row(
    `insert into a2a_approvals (id, user_id, org_id, caller, action, input, status, created_at, expires_at)
     values (?, ?, ?, 'https://x.example', 'delete-note', '{}', 'pending', 7, ?)`,
    [newId(), userId, orgId, LATER],
  )
  await row(openSecret, [newId(), 'magic-link', email, LATER])
  await row(openSecret, [newId(), 'email-link-approval', userId, LATER])
  await row(
    `insert into embed_tokens (token_hash, user_id, org_id, session_id, page, path, expires_at, created_at) values (?, ?, ?, 'gone', '/embed/notes', '/embed/notes', ?, 7)`,
    [newId(), userId, orgId, LATER],
  )
  await row(
    `insert into shares (resource, resource_id, user_id, role, org_id, shared_by, shared_at) values ('notes', ?, 'somebody', 'editor', ?, ?, 7)`,
    [newId(), orgId, userId],
  )
  await row(
    `insert into notes (id, title, owner_email, org_id, visibility, created_at, updated_at) values (?, 'A note', ?, ?, 'private', 7, 7)`,
    [newId(), email, orgId],
  )
}

/** Signs the owner of the address in with a magic link; returns the resulting session. */
export async function ownerArrives(
  app: App,
  { userId, email }: { userId: string; email: string },
  provider = 'magic-link',
): Promise<{ session: Session; sessionId: string }> {
  await verifyEmail(app, { email, securityVersion: await versionOf(app, userId) })
  await signInAs(app, { userId, email, provider, provesAddress: true, userAgent: 'owner' })
  await backgroundDone(app)
  const [row] = await query(
    app,
    `select id from sessions where user_id = ? and user_agent = 'owner' order by created_at desc, rowid desc limit 1`,
    [userId],
  )
  const session = await sessionNow(app, { userId, email, name: 'Ada' })
  return { session: { ...session, mayClaim: true }, sessionId: String(row?.id) }
}

async function versionOf(app: App, userId: string): Promise<number> {
  const [row] = await query(app, 'select security_version from users where id = ?', [userId])
  return Number(row?.security_version)
}
