// A sealed file starts with a head: the magic bytes, a salt and the cost of the key. Then come pieces, each sealed by
// AES-256-GCM. The nonce counts the pieces and marks the final one (the STREAM construction): no piece can be changed, moved,
// left out or cut off.
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'

const MARK = Buffer.from('fairway backup 1\n')
const SALT_BYTES = 16
const HEAD_BYTES = MARK.length + SALT_BYTES + 1
const TAG_BYTES = 16
const PIECE_BYTES = 64 * 1024
/** scrypt: 2^17 rounds over 128 MiB, about half a second. */
const COST = 17
const MOST_COST = 20
const CIPHER = 'aes-256-gcm'

/** The passphrase does not open the sealed file, or the file was changed or cut off. */
export class SealedFileError extends Error {
  override name = 'SealedFileError'
}

/** Whether a file begins with the head of a sealed file. */
export async function isSealedFile(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer } = await file.read(Buffer.alloc(MARK.length), 0, MARK.length, 0)
    return buffer.equals(MARK)
  } finally {
    await file.close()
  }
}

/**
 * Seals a file, or a stream of bytes, with a passphrase into a new file of mode 600; `cost` is the power of two of scrypt's
 * rounds. Throws EEXIST when the target exists.
 */
export async function sealFile(
  from: string | AsyncIterable<Buffer>,
  to: string,
  passphrase: string,
  cost = COST,
): Promise<void> {
  const salt = randomBytes(SALT_BYTES)
  const head = Buffer.concat([MARK, salt, Buffer.from([cost])])
  const key = await keyOf(passphrase, salt, cost)
  await pipeline(
    typeof from === 'string' ? createReadStream(from) : from,
    inPieces(PIECE_BYTES),
    async function* seal(pieces: AsyncIterable<Piece>) {
      yield head
      for await (const { bytes, index, isLast } of pieces) {
        const cipher = createCipheriv(CIPHER, key, nonceOf(index, isLast)).setAAD(head)
        yield Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
      }
    },
    createWriteStream(to, { flags: 'wx', mode: 0o600, flush: true }),
  )
}

/** Opens a sealed file into a new one of mode 600. Throws SealedFileError; then the new file is incomplete. */
export async function unsealFile(from: string, to: string, passphrase: string): Promise<void> {
  const { head, salt, cost } = await readHead(from)
  const key = await keyOf(passphrase, salt, cost)
  await pipeline(
    createReadStream(from, { start: HEAD_BYTES }),
    inPieces(PIECE_BYTES + TAG_BYTES),
    async function* unseal(pieces: AsyncIterable<Piece>) {
      for await (const { bytes, index, isLast } of pieces) {
        try {
          const decipher = createDecipheriv(CIPHER, key, nonceOf(index, isLast)).setAAD(head)
          decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
          yield Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()])
        } catch (cause) {
          const what = index === 0 ? 'The passphrase is another one, or the file was changed.' : 'The file was changed.'
          throw new SealedFileError(`${what} Nothing was written.`, { cause })
        }
      }
    },
    createWriteStream(to, { flags: 'wx', mode: 0o600, flush: true }),
  )
}

async function readHead(path: string): Promise<{ head: Buffer; salt: Buffer; cost: number }> {
  const file = await open(path)
  try {
    const { buffer: head, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    const cost = head[HEAD_BYTES - 1] ?? 0
    if (bytesRead < HEAD_BYTES || cost < 1 || cost > MOST_COST) throw new SealedFileError('This is no sealed backup.')
    return { head, salt: head.subarray(MARK.length, MARK.length + SALT_BYTES), cost }
  } finally {
    await file.close()
  }
}

const derive: (passphrase: string, salt: Buffer, bytes: number, options: object) => Promise<unknown> = promisify(scrypt)

async function keyOf(passphrase: string, salt: Buffer, cost: number): Promise<Buffer> {
  const N = 2 ** cost
  const key = await derive(passphrase.normalize(), salt, 32, { N, r: 8, p: 1, maxmem: 256 * N * 8 })
  if (!Buffer.isBuffer(key)) throw new TypeError('scrypt gave no bytes')
  return key
}

function nonceOf(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUIntBE(index, 5, 6)
  nonce[11] = isLast ? 1 : 0
  return nonce
}

interface Piece {
  bytes: Buffer
  index: number
  isLast: boolean
}

/** Cuts a stream into pieces of this size. The final piece may be shorter, and there is always at least one. */
function inPieces(size: number) {
  return async function* cut(chunks: AsyncIterable<Buffer>): AsyncGenerator<Piece> {
    let rest = Buffer.alloc(0)
    let index = 0
    for await (const chunk of chunks) {
      rest = Buffer.concat([rest, chunk])
      // One piece is held back: only the end of the stream shows which piece is the final one.
      for (; rest.length > size; rest = rest.subarray(size), index += 1)
        yield { bytes: rest.subarray(0, size), index, isLast: false }
    }
    yield { bytes: rest, index, isLast: true }
  }
}
