import { Readable } from 'node:stream'
import { type H3Event, setResponseHeaders } from 'h3'
import { type ExportFormat, exportMediaType } from './export-rows'

/** The answer that sends the text of an export as a file to save, while it is being read; nothing is sent before it is returned. */
export async function sendExport(
  event: H3Event,
  text: AsyncIterable<string>,
  file: { name: string; format: ExportFormat },
): Promise<Readable> {
  setResponseHeaders(event, {
    'content-type': exportMediaType(file.format),
    'content-disposition': `attachment; filename="${file.name}.${file.format}"`,
  })
  return Readable.from(text)
}
