import { createClient } from '@libsql/client'
import { openFileLink } from './file-link'
import { type Link, plainLink } from './link'
import { openReplicaLink } from './replica-link'
import { createServerLink, type ServerLinkOptions } from './server-link'
import type { DatabaseTarget } from './target'

/** Opens the client for a target; throws when the file cannot be used. */
export async function openLink(target: DatabaseTarget, options: ServerLinkOptions): Promise<Link> {
  switch (target.kind) {
    case 'file':
      return openFileLink(target.url, target.path)
    case 'server':
      return createServerLink(target.url, options)
    case 'replica':
      return openReplicaLink(target.url, target.path, options.authToken)
    case 'memory':
      return plainLink(createClient({ url: target.url }))
  }
}
