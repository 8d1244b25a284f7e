import { beforeEach } from 'vitest'
import { INSTANCES } from './server'

const COUNTED = 'each instance counts by itself'
const HEARD_BEFORE =
  'a listener may hear of the last second before it came, where another instance wrote: more than nothing, and never what it may not read'

/** Tests that cannot pass with several instances on a libSQL server, by file or by file and name, each with the reason. */
const ONE_INSTANCE_ONLY: Record<string, string> = {
  'http/actions.test.ts > that never ends is cut, without hurting others':
    'the balancer still writes to the connection that is cut, and may miss the answer before it',
  'http/audit-log.test.ts > has no row of what is called without a session, which is counted': COUNTED,
  'http/backup.test.ts': 'copies a database file',
  'http/activity.test.ts > answers 60 pages of one person a minute, then 429 with Retry-After': COUNTED,
  'http/changes.test.ts > is had six times by one session, and again when one has ended': COUNTED,
  'http/changes.test.ts > is had 24 times by one person on all devices, and then by others still': COUNTED,
  'http/mcp.test.ts > hold for one grant': COUNTED,
  'http/changes.test.ts > tells the organization of what it may read, its owner of everything, and others of nothing':
    HEARD_BEFORE,
  'http/changes.test.ts > tells of a shared note while it is shared, and of one that the organization saw when it is deleted':
    HEARD_BEFORE,
  'http/doctor.test.ts > finds it ready, with its database, its migrations and the way in of MCP hosts, and ends with 0':
    'what is said of a database file',
  'http/local-migration.test.ts > has moved everything or nothing': 'waits for the lock of a database file',
  'http/oauth-tokens.test.ts > holds no code, token or verifier in clear, neither in the database nor in the log':
    'reads the bytes of a database file',
  'http/slow-clients.test.ts': 'the balancer stands between them and the server',
  'http/hostile-requests.test.ts': 'broken requests end at the balancer',
  'http/start.test.ts > ends with a reason when its port is taken': 'the balancer has the port',
}

beforeEach(({ task, skip }) => {
  if (INSTANCES < 2) return
  const file = task.file.name.replace(/^.*tests\//, '')
  const reason = ONE_INSTANCE_ONLY[file] ?? ONE_INSTANCE_ONLY[`${file} > ${task.name}`]
  if (reason) skip(reason)
})
