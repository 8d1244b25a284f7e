import type { TestBrowser } from './http'
import { formOf, registeredClient } from './oauth-host'

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
export const DEVICE_ENDPOINT = '/mcp/oauth/device'

// Not that of `oauth-grant`, which loads the server's code: browser tests use this too.
const postForm = (url: string, form: Record<string, string>) =>
  fetch(url, { method: 'POST', body: new URLSearchParams(form) })

interface DeviceCodes {
  device_code: string
  user_code: string
  verification_uri: string
  verification_uri_complete: string
  expires_in: number
  interval: number
}

/** A program on a machine without a browser: its client, its codes and its polls. */
export async function startDevice(origin: string, fields: Record<string, string> = {}, clientId?: string) {
  const id =
    clientId ??
    (await registeredClient(origin, { client_name: 'Terminal', grant_types: [DEVICE_GRANT, 'refresh_token'] }))
  const answer = await postForm(origin + DEVICE_ENDPOINT, { client_id: id, ...fields })
  if (answer.status !== 200) throw new Error(await answer.text())
  const codes: DeviceCodes = await answer.json()
  const form = { grant_type: DEVICE_GRANT, client_id: id, device_code: codes.device_code }
  return {
    clientId: id,
    codes,
    /** The page for its code, as a path. */
    page: codes.verification_uri_complete.slice(origin.length),
    /** One poll, with changed fields: the answer of the token endpoint. */
    async poll(differing: Record<string, string> = {}) {
      const polled = await postForm(`${origin}/mcp/oauth/token`, { ...form, ...differing })
      return { status: polled.status, body: await polled.json() }
    },
  }
}

/** Opens the page with a code and submits a decision; returns the response. */
export async function decideDevice(
  browser: TestBrowser,
  path: string,
  decision: 'approve' | 'deny' = 'approve',
  differing: Record<string, string> = {},
): Promise<Response> {
  const page = await browser.get(path)
  if (page.status !== 200) throw new Error(`${page.status} ${page.headers.get('location')} ${await page.text()}`)
  return browser.post(path, { form: { ...formOf(await page.text()), decision, ...differing } })
}
