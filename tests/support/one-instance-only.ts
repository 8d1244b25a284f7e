import { beforeEach } from 'vitest'
import { INSTANCES } from './server'

const COUNTED = 'each instance counts by itself'
const HEARD_BEFORE =
  'a new listener may receive changes of the last second that another instance wrote, but none that it may not read'

/** Tests that cannot pass with several instances on a libSQL server, by file or by file and name, each with the reason. */
export const ONE_INSTANCE_ONLY: Record<string, string> = {
  'requests/actions.test.ts > returns 413 for an endless body without blocking other requests':
    'the balancer still writes to the connection that is cut, and may miss the answer before it',
  'requests/audit-log.test.ts > counts calls without a session in the metrics instead of storing rows': COUNTED,
  'http/backup.test.ts': 'copies a database file',
  'http/changes.test.ts > allows six streams per session and another one after one has ended': COUNTED,
  'http/changes.test.ts > allows 24 streams per person on all devices without limiting other people': COUNTED,
  'http/mcp.test.ts > allows 600 requests for one grant, then returns 429 with Retry-After': COUNTED,
  'http/changes.test.ts > sends readable changes to the organization, every change to its author, and none to others':
    HEARD_BEFORE,
  'http/changes.test.ts > sends changes of a shared note while it is shared, and the deletion of an organization note':
    HEARD_BEFORE,
  'http/doctor.test.ts > reports database, migrations, base URL and MCP sign-in as ready and exits with 0':
    'what is said of a database file',
  'http/fresh-pages.test.ts > a page keeps its bytes and its ETag until one of its own rows changes':
    'each instance renders for itself, and this page shows a random number',
  'http/identity-client.test.ts > keeps accounts and sessions when the hub variable is removed, and offers no hub':
    'a server that stops takes its libSQL server with it',
  'http/local-migration.test.ts > moves either all rows or none': 'waits for the lock of a database file',
  'http/operator-console.test.ts > shows the time of the newest backup after fw backup has written one':
    'copies a database file',
  'http/query-plans.test.ts > scan no whole table for any GET address with each of its parameters':
    'only statements of a database file are recorded',
  'http/slow-clients.test.ts': 'the balancer stands between them and the server',
  'http/hostile-requests.test.ts': 'broken requests end at the balancer',
  'http/start.test.ts > the server exits with a reason when its port is in use': 'the balancer has the port',
}

if (INSTANCES > 1)
  beforeEach(({ task, skip }) => {
    const file = task.file.name.replace(/^.*tests\//, '')
    const reason = ONE_INSTANCE_ONLY[file] ?? ONE_INSTANCE_ONLY[`${file} > ${task.name}`]
    if (reason) skip(reason)
  })
