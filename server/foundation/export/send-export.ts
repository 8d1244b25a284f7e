import { Readable } from 'node:stream'
import { type H3Event, sendStream, setResponseHeaders } from 'h3'
import { type ExportFormat, exportMediaType } from './export-rows'

/** Sends the text of an export as a file to save, while it is being read. */
export function sendExport(event: H3Event, text: AsyncIterable<string>, file: { name: string; format: ExportFormat }) {
  setResponseHeaders(event, {
    'content-type': exportMediaType(file.format),
    'content-disposition': `attachment; filename="${file.name}.${file.format}"`,
  })
  return sendStream(event, Readable.from(text))
}
