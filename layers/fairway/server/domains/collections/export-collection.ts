// Exports all items of a collection that the caller may read, as a file.
import { AsyncLocalStorage } from 'node:async_hooks'
import { finished, type Readable } from 'node:stream'
import { type H3Event, setResponseHeader } from 'h3'
import { z } from 'zod'
import { leavingRow, moneyFieldsIn } from '#fairway/server/domains/actions'
import { type App, getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { withTimeout } from '#fairway/server/kernel/current-run'
import { EXPORT_FORMATS, type ExportFormat, exportRows, sendExport } from '#fairway/server/kernel/export-rows'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import { requestAbort, requestInfo, requestQuery } from '#fairway/server/kernel/http/request-info'
import { acquireSlot } from '#fairway/server/kernel/limits/acquire-slot'
import { concurrencyLimits } from '#fairway/server/kernel/limits/limits'
import { isRecord } from '#fairway/shared/record'
import type { Session } from '#fairway/shared/schemas/session'
import { admitted } from './admission'
import { parseQuery } from './query/query-tree'
import { checkNames } from './query/check-names'
import { readExportQuery } from './query/read-query'
import type { ServedCollection } from './served-collection'

interface AskedExport {
  served: ServedCollection
  /** As the client sent it. */
  format: string
  tokenSession?: Session
}

/**
 * Streams all items of a collection that the caller may read, with the filters and order of its list, and writes an audit row.
 * Throws `not-found` for other formats, the errors of the list, and `rate-limited`.
 */
export function answerExport(event: H3Event, { served, format: wanted, tokenSession }: AskedExport) {
  const format = EXPORT_FORMATS.find(each => each === wanted)
  if (!format) throw new AppError('not-found')
  const answer = () => openExport(event, served, format, tokenSession)
  if (event.method === 'HEAD') return answer()
  event.context.input = { name: served.name }
  return leavingRow('export-collection', { keeps: ['name', 'format', 'filters'], tokenSession }, answer)(event)
}

async function openExport(
  event: H3Event,
  served: ServedCollection,
  format: ExportFormat,
  tokenSession?: Session,
): Promise<Readable | ''> {
  const app = getApp(event)
  const session = await admitted(event, served, tokenSession)
  const tree = parseQuery(requestQuery(event))
  checkNames(tree, served)
  const query = readExportQuery(tree, served)
  event.context.input = { ...event.context.input, filters: query.filters }
  const subject = session?.userId ?? addressKey(requestInfo(event).clientAddress)
  finished(event.node.res, acquireSlot(app, concurrencyLimits.collectionExports, subject))
  const clock = requestAbort(event)
  const context = { app, session, signal: clock.signal, requestId: getRequestId(event) }
  const { item, reader } = served.collection
  const all = reader.readAll(context, query)
  const rows = event.method === 'HEAD' ? all : await begun(app, clock, all)
  // `can` describes the caller, not the row.
  const columns = Object.keys(item.shape).filter(name => name !== 'can')
  setResponseHeader(event, 'cache-control', 'no-store')
  return sendExport(event, {
    name: served.name,
    format,
    text: exportRows(format === 'csv' ? forSpreadsheets(rows, served) : rows, columns, format),
  })
}

/** Rows for spreadsheets: 12.5 for 1250 cents, files and people by their names. */
async function* forSpreadsheets(rows: AsyncIterable<Row>, { collection: { item, reader, people } }: ServedCollection) {
  const money = moneyFieldsIn(z.toJSONSchema(item, { unrepresentable: 'any' }))
  const files = reader.fileFields ?? []
  if (money.size + files.length + people.length === 0) return yield* rows
  for await (const row of rows) {
    const amounts = [...money].map(([name, units]) => [name, typeof row[name] === 'number' ? row[name] / units : null])
    const names = files.map(name => [name, [row[name]].flat().flatMap(fileNames).join(', ')])
    const called = people.map(name => [name, nameOf(row[name])])
    yield { ...row, ...Object.fromEntries([...amounts, ...names, ...called]) }
  }
}

type Row = Readonly<Record<string, unknown>>

const nameOf = (person: unknown): unknown => (isRecord(person) ? person.name : null)
const fileNames = (file: unknown): unknown[] => (isRecord(file) ? [file.name] : [])

/**
 * The rows, with the first one already read, so that an early failure can still be sent as an error response. Each row has the
 * time limit of an action. The connection pulls the later rows, so they are read in the saved context of this request.
 */
async function begun<Row>(app: App, clock: AbortController, rows: AsyncIterable<Row>): Promise<AsyncGenerator<Row>> {
  const iterator = rows[Symbol.asyncIterator]()
  const inRun = AsyncLocalStorage.snapshot()
  const next = () => inRun(() => withTimeout(app.config.actionTimeoutInSeconds, clock, () => iterator.next()))
  const first = await next()
  return (async function* () {
    for (let row = first; !row.done; row = await next()) yield row.value
  })()
}
