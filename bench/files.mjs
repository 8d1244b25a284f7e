// `node bench/files.mjs [--output=<folder>] [megabytes]`: uploads a file of a gigabyte to the built server and downloads it
// again. Prints the speeds and the growth of the server's memory. The application needs an upload `attachment` for all types, and
// the actions and the collection of tests/fixtures/author. Exits with 1 when the memory has grown by more than its limit.
import { createHash, randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { rmSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { signUp, startBuilt } from './built-server.mjs'

const MEBIBYTE = 1024 * 1024
/** The maximum growth of the resident memory, in megabytes. */
const LIMIT = 60

const piece = randomBytes(MEBIBYTE)

async function* bytesOf(megabytes, digest) {
  for (let n = 0; n < megabytes; n++) {
    digest.update(piece)
    yield piece
  }
}

/** Records the highest resident memory until `stop`, in megabytes. */
function watchMemory(server) {
  let highest = server.residentMegabytes()
  const timer = setInterval(() => {
    highest = Math.max(highest, server.residentMegabytes())
  }, 50)
  return () => {
    clearInterval(timer)
    return highest
  }
}

async function upload(base, headers, megabytes) {
  const sent = createHash('sha256')
  const { promise, resolve, reject } = Promise.withResolvers()
  const sending = request(
    `${base}/_fw/files/attachment`,
    { method: 'POST', headers: { ...headers, 'content-type': 'application/octet-stream', 'x-file-name': 'large.bin' } },
    async answer => resolve({ status: answer.statusCode, body: JSON.parse((await answer.toArray()).join('')) }),
  )
  sending.on('error', reject)
  await pipeline(bytesOf(megabytes, sent), sending)
  const { status, body } = await promise
  if (status !== 201) throw new Error(JSON.stringify(body))
  return { ...body, hash: sent.digest('hex') }
}

/** Returns megabytes per second up and down, and the growth of the server's memory in megabytes. */
export async function measureFiles({ megabytes, output }) {
  const server = await startBuilt({ output })
  try {
    const headers = { ...(await signUp(server.base, 'files@example.test')), origin: server.origin }
    // The first file loads code, which stays in memory afterwards.
    await upload(server.base, headers, 8)
    const before = server.residentMegabytes()
    const highest = watchMemory(server)
    const began = performance.now()
    const { ticket, hash } = await upload(server.base, headers, megabytes)
    const up = megabytes / ((performance.now() - began) / 1000)
    const created = await fetch(`${server.base}/_fw/actions/create-paper`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'Large', attachments: [ticket] }),
    })
    const { result } = await created.json()
    const reading = performance.now()
    const url = `${server.base}/_fw/files/paper-list/${result.id}/${result.attachments[0]}`
    const read = createHash('sha256')
    const answer = await fetch(url, { headers })
    for await (const chunk of answer.body) read.update(chunk)
    const down = megabytes / ((performance.now() - reading) / 1000)
    if (read.digest('hex') !== hash) throw new Error('the file has come back as another one')
    return { up, down, grown: highest() - before }
  } finally {
    await server.stop()
    rmSync(server.dataDir, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const [megabytes = '1024'] = process.argv.slice(2).filter(argument => !argument.startsWith('--'))
  const named = process.argv.find(argument => argument.startsWith('--output='))
  const output = named?.slice('--output='.length) ?? 'tests/fixtures/author/.output'
  const { up, down, grown } = await measureFiles({ megabytes: Number(megabytes), output })
  console.log(
    `${megabytes} MiB: ${up.toFixed(0)} MiB/s up, ${down.toFixed(0)} MiB/s down, memory grew by ${grown.toFixed(0)} MB (at most ${LIMIT})`,
  )
  if (grown > LIMIT) process.exit(1)
}
