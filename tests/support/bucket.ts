import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from '@20minutes/s3rver'

/** A bucket on a server that implements S3 and verifies signatures. `stop` ends the server. */
export async function startBucket() {
  const directory = await mkdtemp(join(tmpdir(), 'fw-bucket-'))
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: [{ name: 'files' }],
  })
  const { port } = await server.run()
  return {
    endpoint: `http://127.0.0.1:${port}`,
    /** The only keys that this server accepts. */
    keys: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    async stop() {
      await server.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
