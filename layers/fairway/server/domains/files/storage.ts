import type { Readable } from 'node:stream'

/** The first and the last byte of the range, both included. */
export interface ByteRange {
  first: number
  last: number
}

/** One entry of a storage. */
export interface StoredKey {
  key: string
  changedAt: Date
}

/** Stores the bytes of files. It streams in both directions, so memory use does not depend on the size of a file. */
export interface FileStorage {
  /** Writes a new file atomically. Throws what `bytes` throws. */
  write(key: string, bytes: AsyncIterable<Uint8Array>): Promise<void>
  /** Returns the bytes, or a range of them; null when the file does not exist. */
  read(key: string, range?: ByteRange): Promise<Readable | null>
  /** Deletes a file. It succeeds when the file does not exist. */
  remove(key: string): Promise<void>
  /** Lists all entries, including leftovers of a process that died during a write. */
  list(): AsyncIterable<StoredKey>
  /** Whether deletion is paused because a backup is running. */
  isHeld?(now: Date): Promise<boolean>
  /** An address, valid for a minute, at which the storage serves the file directly; undefined when the storage cannot. */
  signedAddress?(key: string, headers: { type: string; disposition: string }): Promise<string>
}
