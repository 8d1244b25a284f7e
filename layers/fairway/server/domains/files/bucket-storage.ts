// A bucket of S3 or of a service with the same API.
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { S3mini, S3ServiceError } from 's3mini'
import type { BucketConfig } from '#fairway/server/kernel/config/files-config'
import type { FileStorage } from './storage'

/** S3 requires parts of at least 5 MiB and accepts at most 10,000 parts. */
const PART_IN_BYTES = 8 * 1024 * 1024
const TYPE = 'application/octet-stream'
const ADDRESS_LIFE_IN_SECONDS = 60

/** Stores files in a bucket, below a prefix. One part of a file is in memory at a time. */
export function bucketStorage(config: BucketConfig, send: typeof fetch): FileStorage {
  const { endpoint, bucket, prefix, region, accessKeyId, secretAccessKey } = config
  const s3 = new S3mini({ endpoint: `${endpoint}/${bucket}`, region, accessKeyId, secretAccessKey, fetch: send })
  const nameOf = (key: string) => prefix + key

  return {
    async write(key, bytes) {
      const name = nameOf(key)
      const parts: Awaited<ReturnType<typeof s3.uploadPart>>[] = []
      let upload: string | undefined
      try {
        for await (const { part, isLast } of inParts(bytes)) {
          if (isLast && upload === undefined) return void (await s3.putObject(name, part, TYPE))
          upload ??= await s3.getMultipartUploadId(name, TYPE)
          parts.push(await s3.uploadPart(name, upload, part, parts.length + 1))
        }
        if (upload !== undefined) await s3.completeMultipartUpload(name, upload, parts)
      } catch (error) {
        if (upload !== undefined) await s3.abortMultipartUpload(name, upload).catch(() => {})
        throw error
      }
    },
    async read(key, range) {
      const last = range && range.last + 1
      const answer = await s3.getObjectRaw(nameOf(key), !range, range?.first, last).catch(unlessMissing)
      if (!answer?.body) return null
      if (range && answer.status !== 206) throw new Error('the bucket does not send parts of files')
      return Readable.fromWeb(answer.body as ReadableStream<Uint8Array>)
    },
    async remove(key) {
      await s3.deleteObject(nameOf(key)).catch(unlessMissing)
    },
    ...(config.isDirect && {
      signedAddress: (key, { type, disposition }) =>
        s3.getPresignedUrl('GET', nameOf(key), ADDRESS_LIFE_IN_SECONDS, {
          'response-content-type': type,
          'response-content-disposition': disposition,
        }),
    }),
  }
}

function unlessMissing(error: unknown): undefined {
  if (!(error instanceof S3ServiceError) || error.status !== 404) throw error
}

/** Splits bytes into parts of equal size. The final part may be shorter or empty. */
async function* inParts(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<{ part: Buffer; isLast: boolean }> {
  let chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of bytes) {
    // Only the end of the stream shows that a part is the final one, so a full part waits for the next chunk.
    if (size >= PART_IN_BYTES) {
      yield { part: Buffer.concat(chunks), isLast: false }
      chunks = []
      size = 0
    }
    chunks.push(chunk)
    size += chunk.length
  }
  yield { part: Buffer.concat(chunks), isLast: true }
}
