import type { App } from '#fairway/server/kernel/app-context'
import type { OutageCause } from '#fairway/server/kernel/http/guarded-fetch'
import { isLoopbackHost } from '#fairway/shared/loopback'

const LASTS_IN_MS = 60 * 60 * 1000
const ROW = 'documents'

interface DocumentOutage {
  cause: OutageCause
  /** In milliseconds. */
  failedAt: number
}

/** Whether hosts are told that they may show a metadata document instead of registering (`FW_CLIENT_DOCUMENTS`). */
export async function advertisesDocuments(app: App): Promise<boolean> {
  const { baseUrl, isHttps, oauth } = app.config
  if (oauth.clientDocuments !== 'auto') return oauth.clientDocuments === 'on'
  // A laptop or an intranet has often no way out, and hosts that are told of documents do not register when one is not fetched.
  const isElsewhere = isHttps && !isLoopbackHost(new URL(baseUrl).hostname)
  return isElsewhere && (await findDocumentOutage(app)) === null
}

/** Why metadata documents cannot be fetched: what any instance has met with within the hour; null while fetching works. */
export async function findDocumentOutage(app: App): Promise<DocumentOutage | null> {
  const find = app.memo('find-document-outage', () =>
    app.db.prepareRead<DocumentOutage>(
      'select cause, failed_at as failedAt from oauth_document_outages where id = ? and failed_at > ?',
    ),
  )
  const [row] = await find([ROW, app.now().getTime() - LASTS_IN_MS])
  return row ?? null
}

/** Notes for all instances that this server had no way out to a host. */
export async function noteDocumentOutage(app: App, cause: OutageCause, host: string): Promise<void> {
  const isKnown = (await findDocumentOutage(app)) !== null
  await app.db.client.execute({
    sql: `insert into oauth_document_outages (id, cause, failed_at) values (?, ?, ?)
      on conflict (id) do update set cause = excluded.cause, failed_at = excluded.failed_at where failed_at < excluded.failed_at`,
    args: [ROW, cause, app.now().getTime()],
  })
  if (isKnown) return
  const setting = 'FW_CLIENT_DOCUMENTS'
  app.log.warn('metadata documents of apps cannot be fetched; for an hour apps are told to register instead', {
    cause,
    host,
    setting,
  })
}

/** Notes for all instances that somebody was reached. */
export async function endDocumentOutage(app: App): Promise<void> {
  if ((await findDocumentOutage(app)) === null) return
  await app.db.client.execute({ sql: 'delete from oauth_document_outages where id = ?', args: [ROW] })
  app.log.info('this server has a way out to metadata documents of apps again')
}
