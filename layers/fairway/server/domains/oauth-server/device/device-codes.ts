// The rows of the device grant (RFC 8628). A device holds the device code, a person types the user code. Both are stored as hashes.
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { hmac, sha256 } from '#fairway/server/kernel/crypto/hash'
import { randomConsonants, randomToken } from '#fairway/server/kernel/crypto/random'
import type { InStatement } from '#fairway/server/kernel/database/client'
import type { SqlPart } from '#fairway/server/kernel/dependent-rows'
import { DEVICE_PATH } from '#fairway/shared/paths'
import { OAuthError } from '../oauth-error'

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

export const DEVICE_LIFE_IN_SECONDS = 600
/** How long a device waits between two polls, and by how much a poll that comes too early prolongs it (RFC 8628 §3.5). */
export const POLL_INTERVAL_IN_SECONDS = 5
/** Timers of devices are not exact. */
const TOLERANCE_IN_MS = 500
const KEPT_IN_MS = 60 * 60 * 1000
const CODE_LENGTH = 8
const PURPOSE = 'device-user-codes'

/** Whether this installation lets devices without a browser ask for a connection. */
export const offersDevices = ({ config }: Pick<App, 'config'>): boolean => config.mcp.about.deviceSignIn !== false

/** Returns the letters of a typed code, without regard to case, spaces and hyphens (RFC 8628 §6.1); null when it cannot be one. */
export function parseUserCode(typed: string): string | null {
  const letters = typed
    .slice(0, 100)
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
  return new RegExp(`^[A-Z]{${CODE_LENGTH}}$`).test(letters) ? letters : null
}

/** The spelling that people see: `WDJB-MJHT`. */
export const shownUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`

/** The query of the page for a code. */
export const deviceQuery = (code: string): string => `?user_code=${shownUserCode(code)}`

/** The address of the page, for a code that the person does not have to type. */
export const devicePage = ({ config }: Pick<App, 'config'>, code?: string): string =>
  config.baseUrl + DEVICE_PATH + (code === undefined ? '' : deviceQuery(code))

// Its 34.5 bits could be tried out against a plain hash.
const userCodeHash = ({ config }: App, code: string): string => hmac(config.keys.current(PURPOSE).secret, code)

interface CodeRequest {
  clientId: string
  /** Space-separated. */
  scope: string
  /** The address that asked. */
  askedFrom: string
}

/** Stores what a device asks for; returns its two codes. */
export async function issueDeviceCode(app: App, { clientId, scope, askedFrom }: CodeRequest) {
  const deviceCode = randomToken(32)
  const now = app.now().getTime()
  const until = now + DEVICE_LIFE_IN_SECONDS * 1000
  for (;;) {
    const userCode = randomConsonants(CODE_LENGTH)
    const { rowsAffected } = await app.db.client.execute({
      sql: `insert into fw_device_codes (hash, user_code_hash, client_id, scope, asked_from, created_at, expires_at, poll_interval)
        values (?, ?, ?, ?, ?, ?, ?, ?) on conflict (user_code_hash) do nothing`,
      args: [
        sha256(deviceCode),
        userCodeHash(app, userCode),
        clientId,
        scope,
        askedFrom,
        now,
        until,
        POLL_INTERVAL_IN_SECONDS,
      ],
    })
    if (rowsAffected === 1) return { deviceCode, userCode }
  }
}

/** What a person may decide about. */
export interface DeviceRequest extends CodeRequest {
  /** The hash of the device code. */
  hash: string
  /** The code as letters. */
  userCode: string
  /** In milliseconds. */
  expiresAt: number
}

/** Finds the request with this code while it waits; undefined when it is unknown, decided or has ended. */
export async function findDeviceRequest(app: App, userCode: string): Promise<DeviceRequest | undefined> {
  const find = app.memo('find-device-request', () =>
    app.db.prepareRead<Omit<DeviceRequest, 'userCode'>>(
      `select hash, client_id as clientId, scope, asked_from as askedFrom, expires_at as expiresAt from fw_device_codes
        where user_code_hash = ? and decided_at is null and expires_at > ?`,
    ),
  )
  const [row] = await find([userCodeHash(app, userCode), app.now().getTime()])
  return row && { ...row, userCode }
}

/** The condition under which a request still waits for a person. */
export const awaitsDecision = (hash: string, now: number): SqlPart => ({
  sql: 'exists (select 1 from fw_device_codes where hash = ? and decided_at is null and expires_at > ?)',
  args: [hash, now],
})

/** The statement that gives a request its grant, if that exists. */
export const approveStatement = (hash: string, grantId: string, now: number): InStatement => ({
  sql: `update fw_device_codes set decided_at = ?, grant_id = ? where hash = ? and decided_at is null
    and exists (select 1 from oauth_grants where id = ?)`,
  args: [now, grantId, hash, grantId],
})

/** Refuses a request; returns false when it was decided or has ended. */
export async function refuseDevice(app: App, hash: string): Promise<boolean> {
  const now = app.now().getTime()
  const { rowsAffected } = await app.db.client.execute({
    sql: 'update fw_device_codes set decided_at = ? where hash = ? and decided_at is null and expires_at > ?',
    args: [now, hash, now],
  })
  return rowsAffected === 1
}

const pollSchema = z.object({
  grantId: z.string().nullable(),
  isDecided: z.number(),
  isUsed: z.number(),
  isExpired: z.number(),
  isEarly: z.number(),
})

const OF_CLIENT = 'hash = ? and client_id = ?'
// The parameter is a time in milliseconds.
const IS_EARLY = 'coalesce(polled_at + poll_interval * 1000 > ?, 0)'

/**
 * Notes a poll of a device; returns the hash of its code and its grant once a person has approved. Throws
 * `authorization_pending`, `slow_down`, `access_denied`, `expired_token`, and `invalid_grant` for an unknown or used code.
 */
export async function pollDevice(app: App, deviceCode: string, clientId: string) {
  const hash = sha256(deviceCode)
  const now = app.now().getTime()
  const soon = now + TOLERANCE_IN_MS
  const [polled] = await app.db.client.batch(
    [
      {
        sql: `select grant_id as grantId, decided_at is not null as isDecided, used_at is not null as isUsed,
          expires_at <= ? as isExpired, ${IS_EARLY} as isEarly from fw_device_codes where ${OF_CLIENT}`,
        args: [now, soon, hash, clientId],
      },
      {
        sql: `update fw_device_codes set poll_interval = poll_interval + ${POLL_INTERVAL_IN_SECONDS} * ${IS_EARLY},
          polled_at = ? where ${OF_CLIENT} and decided_at is null and expires_at > ?`,
        args: [soon, now, hash, clientId, now],
      },
    ],
    'write',
  )
  const row = polled?.rows[0] && pollSchema.parse(polled.rows[0])
  if (!row || row.isUsed) throw new OAuthError('invalid_grant', 'The device code is not known or was used.')
  if (row.isDecided && row.grantId === null) throw new OAuthError('access_denied', 'The person refused.')
  if (row.isExpired) throw new OAuthError('expired_token', 'The device code has ended. Ask for a new one.')
  if (row.grantId !== null) return { hash, grantId: row.grantId }
  if (row.isEarly)
    throw new OAuthError('slow_down', `Wait ${POLL_INTERVAL_IN_SECONDS} seconds longer between two polls.`)
  throw new OAuthError('authorization_pending', 'Nobody has decided yet.')
}

/** The statement that deletes requests an hour after their end, so that a device hears how it ended; `now` in milliseconds. */
export const purgeDevicesStatement = (now: number): InStatement => ({
  sql: 'delete from fw_device_codes where expires_at <= ?',
  args: [now - KEPT_IN_MS],
})
