import type { Readable } from 'node:stream'

/** The first and the last byte that are wanted. */
export interface ByteRange {
  first: number
  last: number
}

/** What is in a storage. */
export interface StoredKey {
  key: string
  changedAt: Date
}

/** Where the bytes of files are. Both directions are streams, so a file of any size takes the same memory. */
export interface FileStorage {
  /** Writes a new file, whole or not at all. Throws what `bytes` throws. */
  write(key: string, bytes: AsyncIterable<Uint8Array>): Promise<void>
  /** The bytes, or a part of them; null where there is no such file. */
  read(key: string, range?: ByteRange): Promise<Readable | null>
  /** Deletes a file; one that is not there is the same as one that was. */
  remove(key: string): Promise<void>
  /** All that is there, also what was left over by a process that died while it wrote. */
  list(): AsyncIterable<StoredKey>
  /** Whether nothing may be deleted at the moment, because a backup is written. */
  isHeld?(now: Date): Promise<boolean>
  /** An address for a minute at which the storage itself sends the file; undefined where it cannot. */
  signedAddress?(key: string, headers: { type: string; disposition: string }): Promise<string>
}
