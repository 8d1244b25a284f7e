import type { App } from '#fairway/server/kernel/app-context'
import { type OutageCause, GuardedFetchError } from '#fairway/server/kernel/http/guarded-fetch'
import { isLoopbackHost } from '#fairway/shared/loopback'
import type { OAuthError } from '../oauth-error'
import { WithheldDocument } from './client-metadata'

const LASTS_IN_MS = 60 * 60 * 1000
const ROW = 'documents'

/** If another host responded this recently, an unreachable host is itself at fault. */
const SHOWN_FOR_IN_MS = 10 * 60 * 1000
const ADVICE = {
  auto: 'Connect the app again in a few minutes: it can then register itself. Whoever runs this server can set FW_CLIENT_DOCUMENTS=off so that apps always do.',
  on: 'Whoever runs this server can set FW_CLIENT_DOCUMENTS to auto or off so that apps register themselves.',
}

const WITHHELD =
  'Try again later. If that does not help, whoever runs this server can set FW_CLIENT_DOCUMENTS=off so that apps register themselves.'

interface DocumentOutage {
  cause: OutageCause
  /** In milliseconds. */
  failedAt: number
}

/** Whether the metadata announces that hosts may use a metadata document instead of registering (`FW_CLIENT_DOCUMENTS`). */
export async function advertisesDocuments(app: App): Promise<boolean> {
  const { baseUrl, isHttps, oauth } = app.config
  if (oauth.clientDocuments !== 'auto') return oauth.clientDocuments === 'on'
  // A laptop or an intranet often reaches no public server. Hosts that know of documents do not register when a fetch fails.
  const isElsewhere = isHttps && !isLoopbackHost(new URL(baseUrl).hostname)
  return isElsewhere && (await findDocumentOutage(app)) === null
}

const FIND = 'select cause, failed_at as failedAt from oauth_document_outages where id = ? and failed_at > ?'

/** Returns why metadata documents cannot be fetched, as any instance noted within the hour; null while fetching works. */
export async function findDocumentOutage(app: App): Promise<DocumentOutage | null> {
  const find = app.memo('find-document-outage', () => app.db.prepareRead<DocumentOutage>(FIND))
  const [row] = await find([ROW, app.now().getTime() - LASTS_IN_MS])
  return row ?? null
}

/** Notes for all instances that this server could not reach a host. */
async function noteDocumentOutage(app: App, cause: OutageCause, host: string): Promise<void> {
  const isKnown = (await findDocumentOutage(app)) !== null
  await app.db.client.execute({
    sql: `insert into oauth_document_outages (id, cause, failed_at) values (?, ?, ?)
      on conflict (id) do update set cause = excluded.cause, failed_at = excluded.failed_at where failed_at < excluded.failed_at`,
    args: [ROW, cause, app.now().getTime()],
  })
  if (isKnown) return
  const fields = { cause, host, setting: 'FW_CLIENT_DOCUMENTS' }
  app.log.warn('metadata documents of apps cannot be fetched; for an hour apps are told to register instead', fields)
}

/** Notes for all instances that a host was reached. */
async function endDocumentOutage(app: App): Promise<void> {
  if ((await findDocumentOutage(app)) === null) return
  await app.db.client.execute({ sql: 'delete from oauth_document_outages where id = ?', args: [ROW] })
  app.log.info('this server has a way out to metadata documents of apps again')
}

/** Watches this instance's fetches for whether public servers are reachable, and shares the result with all instances. */
export function watchDocumentFetches(app: App) {
  const lastAnswer = { at: -Infinity }

  /** Call it when a host was reached, with any response. */
  async function reached(): Promise<void> {
    lastAnswer.at = app.now().getTime()
    await endDocumentOutage(app)
  }

  /** Decides whether a refused document was unavailable (`isAway`) or is itself at fault. The description may be shown. */
  async function judge({ cause, description }: OAuthError, host: string) {
    if (!(cause instanceof GuardedFetchError)) {
      await reached()
      const isAway = cause instanceof WithheldDocument
      return { isAway, description: isAway ? `${description} ${WITHHELD}` : description }
    }
    const { outage } = cause
    const isAway = outage !== null
    if (!outage || app.now().getTime() - lastAnswer.at <= SHOWN_FOR_IN_MS) return { isAway, description }
    await noteDocumentOutage(app, outage, host)
    const advice = ADVICE[app.config.oauth.clientDocuments === 'on' ? 'on' : 'auto']
    return { isAway, description: `${description} This server seems to have no way out to it. ${advice}` }
  }

  return { reached, judge }
}
