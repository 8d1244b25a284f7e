import { AUTH_PREFIX } from '#fairway/shared/paths'
import { query } from '../../../../tests/support/query'
import type { TestServer } from '../../../../tests/support/server'

/** Turns workspace sign-in on or off at a hub. */
export const setFlag = (hub: TestServer, isOn: boolean) =>
  query(
    hub,
    `insert or replace into feature_flags (name, is_on, updated_at, updated_by) values ('desktop.workspace-sso', ?, 0, '')`,
    [Number(isOn)],
  )

/**
 * Makes a server a hub that offers workspace sign-in and has this person's account, without a session. `origin` is its public
 * address.
 */
export async function readyHub(hub: TestServer, person: { email: string }, origin = hub.origin): Promise<void> {
  const answer = await fetch(`${hub.origin}${AUTH_PREFIX}/sign-up/email`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify(person),
  })
  if (!answer.ok) throw new Error(await answer.text())
  await query(hub, 'update users set email_verified = 1')
  await query(hub, 'delete from sessions')
  await setFlag(hub, true)
}
