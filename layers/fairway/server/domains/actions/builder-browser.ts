import { bodyLimits } from '#fairway/server/kernel/limits/limits'
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import type { BuilderConfig } from '#fairway/server/kernel/config/config'
import { newId } from '#fairway/server/kernel/crypto/random'
import { requireRun } from '#fairway/server/kernel/current-run'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { networkReason, readLimited } from '#fairway/server/kernel/http/fetch-json'

const TIME_OUT_IN_MS = 30_000
const answerSchema = z.object({
  wsUrl: z.url({ protocol: /^wss?$/ }).max(4096),
  sessionId: z.string().min(1).max(200).optional(),
})

export interface BrowserConnection {
  /** The WebSocket address of the browser. It grants access to that browser: treat it as a secret. */
  wsUrl: string
  sessionId: string
}

/**
 * Requests a browser session from the connected builder service; the same `sessionId` returns the same browser. For use inside
 * actions. Throws `builder-not-connected`, `browser-connection-failed` and `no-ws-url`; no error text contains a key.
 */
export async function getBrowserConnection(
  { sessionId = newId() }: { sessionId?: string },
  signal?: AbortSignal,
): Promise<BrowserConnection> {
  const { app } = requireRun()
  const { credentials } = app.config.builder
  if (!credentials) throw new AppError('builder-not-connected')
  const answer = await ask(app, credentials, sessionId, signal)
  const parsed = answerSchema.safeParse(answer)
  if (!parsed.success) throw new AppError('no-ws-url', { cause: 'the answer has no usable wsUrl' })
  return { wsUrl: parsed.data.wsUrl, sessionId: parsed.data.sessionId ?? sessionId }
}

type Credentials = NonNullable<BuilderConfig['credentials']>

async function ask(app: App, credentials: Credentials, sessionId: string, signal?: AbortSignal): Promise<unknown> {
  const url = new URL('/codegen/get-browser-connection', app.config.builder.apiHost)
  url.searchParams.set('apiKey', credentials.publicKey)
  if (credentials.userId) url.searchParams.set('userId', credentials.userId)
  const late = AbortSignal.timeout(TIME_OUT_IN_MS)
  try {
    const response = await app.fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${credentials.privateKey}`,
        'content-type': 'application/json',
        accept: 'application/json',
      },
      body: JSON.stringify({ sessionId }),
      signal: signal ? AbortSignal.any([signal, late]) : late,
    })
    if (!response.ok) {
      await response.body?.cancel()
      throw failed(`the service answered ${response.status}`)
    }
    return JSON.parse(await readLimited(response, bodyLimits.answer))
  } catch (error) {
    throw error instanceof AppError ? error : failed(networkReason(error))
  }
}

const failed = (reason: string): AppError => new AppError('browser-connection-failed', { cause: reason })
