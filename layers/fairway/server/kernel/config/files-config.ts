import { join } from 'node:path'
import type { Env } from './env'

export interface BucketConfig {
  kind: 'bucket'
  /** The origin of the service, and the path before the bucket where it has one. */
  endpoint: string
  bucket: string
  /** The prefix of each object name, with its `/`; empty for none. */
  prefix: string
  region: string
  accessKeyId: string
  secretAccessKey: string
  /** Whether browsers are redirected to the bucket, with signed addresses. */
  isDirect: boolean
}

/** The location of file contents. */
export type FilesConfig = { kind: 'disk'; folder: string } | BucketConfig

const GIBIBYTE = 1024 ** 3

/**
 * How much may be uploaded, in bytes: of uploads without a row, for each person and for each organization, and what stays free on
 * the disk.
 */
export const uploadLimits = { perPerson: GIBIBYTE, perOrganization: 5 * GIBIBYTE, reserve: GIBIBYTE / 2 }

/** The folder of files where no bucket is set. */
export const filesFolder = ({ FW_DATA_DIR = '.data' }: Env): string => join(FW_DATA_DIR, 'files')

/** Returns the location of this environment's files. */
export function filesConfig(env: Env): FilesConfig {
  if (!env.FW_FILES) return { kind: 'disk', folder: filesFolder(env) }
  const address = env.FW_FILES
  const region = address.searchParams.get('region') ?? 'us-east-1'
  const prefix = address.pathname.replaceAll(/^\/+|\/+$/g, '')
  return {
    kind: 'bucket',
    endpoint: (address.searchParams.get('endpoint') ?? `https://s3.${region}.amazonaws.com`).replace(/\/+$/, ''),
    bucket: address.hostname,
    prefix: prefix && `${prefix}/`,
    region,
    accessKeyId: env.FW_FILES_KEY ?? '',
    secretAccessKey: env.FW_FILES_SECRET ?? '',
    isDirect: address.searchParams.get('direct') === '1',
  }
}

/** The settings that a bucket name requires and that are missing. */
export const filesFaults = (env: Env): string[] =>
  env.FW_FILES && !(env.FW_FILES_KEY && env.FW_FILES_SECRET)
    ? ['FW_FILES: needs FW_FILES_KEY and FW_FILES_SECRET, the keys of the bucket']
    : []
