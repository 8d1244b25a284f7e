import type { Readable } from 'node:stream'

/** The first and the last byte of the range, both included. */
export interface ByteRange {
  first: number
  last: number
}

/** The marker of the storage, in the folder or below the prefix of the bucket. Its content is the id of the installation. */
export const MARKER = '.fairway'

/** Stores the bytes of files. It streams in both directions, so memory use does not depend on the size of a file. */
export interface FileStorage {
  /** Writes a file atomically. Throws what `bytes` throws. */
  write(key: string, bytes: AsyncIterable<Uint8Array>): Promise<void>
  /** Returns the bytes, or a range of them; null when the file does not exist. */
  read(key: string, range?: ByteRange): Promise<Readable | null>
  /** Deletes a file, and what a process that died has left of it. It succeeds when the file does not exist. */
  remove(key: string): Promise<void>
  /** Whether deletion is paused because a backup is running. */
  isHeld?(now: Date): Promise<boolean>
  /** The free space in bytes; undefined where nobody knows it. */
  freeSpace?(): Promise<number>
  /** An address, valid for a minute, at which the storage serves the file directly; undefined when the storage cannot. */
  signedAddress?(key: string, headers: { type: string; disposition: string }): Promise<string>
}
