import type { App } from '#fairway/server/kernel/app-context'
import { exportRows, type ExportFormat } from '#fairway/server/kernel/export/export-rows'
import { eachSecurityEvent, type EventFilter } from './list-security-events'

const COLUMNS = ['at', 'kind', 'subject', 'clientAddress', 'userId', 'orgId', 'reason', 'requestId', 'id']

/** All events that match as a file, the oldest first. */
export const exportSecurityEvents = (app: App, filter: EventFilter, format: ExportFormat): AsyncGenerator<string> =>
  exportRows(eachSecurityEvent(app, filter), COLUMNS, format)
