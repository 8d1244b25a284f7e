import { getRouterParam, setResponseStatus } from 'h3'
import { catalog } from '#fw/uploads'
import { checkUploader, receiveFile } from '#fairway/server/domains/files'
import { withPersonalToken } from '#fairway/server/domains/mcp'
import { requireSession } from '#fairway/server/domains/sessions'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import type { UploadRules } from '#fairway/shared/schemas/file'

const uploads = new Map(catalog.map(entry => [entry.name, entry]))

function findUpload(name: string | undefined) {
  const entry = uploads.get(name ?? '')
  if (!entry) throw new AppError('not-found', { detail: 'There is no upload with this name.' })
  return entry
}

/** Uploads a file for one of the declarations in `server/uploads`, and returns the rules of that declaration. */
export default defineMethods({
  openIn: { GET: ['view', 'api-token'], POST: ['api-token'] },
  GET: event =>
    withPersonalToken(event, { scope: 'mcp:read' }, async (tokenSession): Promise<UploadRules> => {
      const { upload } = findUpload(getRouterParam(event, 'place'))
      await checkUploader(upload, tokenSession ?? (await requireSession(event)))
      return { accept: [...upload.accept], maxSize: upload.maxSize }
    }),
  POST: event =>
    withPersonalToken(event, { scope: 'mcp:write' }, async tokenSession => {
      const entry = findUpload(getRouterParam(event, 'place'))
      const answer = await receiveFile(event, entry, tokenSession ?? (await requireSession(event)))
      setResponseStatus(event, 201)
      return answer
    }),
})
