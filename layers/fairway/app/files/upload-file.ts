// Uploads a file and reports the progress, which `fetch` does not support.
import { uploadPath } from '#fairway/shared/paths'
import {
  type UploadedFile,
  uploadedFileSchema,
  type UploadRules,
  uploadRulesSchema,
} from '#fairway/shared/schemas/file'
import { ActionFailure } from '../request/action-failure'
import { sendJson, toFailure } from '../request/send-json'
import { orgHeader } from '../session/page-org'

interface UploadOptions {
  signal: AbortSignal
  /** From 0 to 1. */
  onProgress(part: number): void
}

/** Uploads a file. Throws ActionFailure, also when the upload is aborted. */
export function uploadFile(upload: string, file: File, { signal, onProgress }: UploadOptions): Promise<UploadedFile> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const unreached = () => reject(new ActionFailure({ kind: 'offline' }))
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0))
    request.addEventListener('error', unreached)
    request.addEventListener('abort', unreached)
    request.addEventListener('load', () => {
      const { data } = uploadedFileSchema.safeParse(request.response)
      const { status } = request
      const requestId = request.getResponseHeader('x-request-id') ?? ''
      if (data) resolve(data)
      else reject(toFailure(request.response, new Response(null, { status, headers: { 'x-request-id': requestId } })))
    })
    request.open('POST', uploadPath(upload))
    request.responseType = 'json'
    request.setRequestHeader('accept', 'application/json')
    request.setRequestHeader('content-type', file.type || 'application/octet-stream')
    request.setRequestHeader('x-file-name', encodeURIComponent(file.name))
    const header = orgHeader()
    if (header) request.setRequestHeader(...header)
    request.send(file)
  })
}

/** The rules of an upload. Throws ActionFailure. */
export const readUploadRules = async (upload: string): Promise<UploadRules> =>
  uploadRulesSchema.parse(await sendJson(uploadPath(upload)))

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** A number of bytes in a language's format: “1.5 MB”. */
export function bytesText(bytes: number, language: string): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1)
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit: UNITS[power],
    // The short form of a byte has no plural in English.
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
  }).format(bytes / 1000 ** power)
}

const ICONS: readonly [RegExp, string][] = [
  [/^image\//, 'i-lucide-image-up'],
  [/^(audio|video)\//, 'i-lucide-play'],
  [/zip|compressed|tar$/, 'i-lucide-archive'],
]

/** The icon of a media type. All of these icons are on the first page already. */
export const fileIcon = (type = ''): string =>
  ICONS.find(([pattern]) => pattern.test(type))?.[1] ?? 'i-lucide-scroll-text'

/** Whether browsers show it as a picture. */
export const isPicture = (type = ''): boolean => /^image\/(png|jpeg|gif|webp|avif)$/.test(type)
