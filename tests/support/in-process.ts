// First, because guards and policies check the permissions that it declares.
import fwConfig from '#fw/config'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { catalog as actions } from '#fw/actions'
import { catalog as collections } from '#fw/collections'
import { handlers } from '#fw/handlers'
import { catalog as jobs } from '#fw/jobs'
import { catalog as mails } from '#fw/mails'
import { frames } from '#fw/page-frames'
import { providers } from '#fw/providers'
import { createApp } from '#fairway/server/compose'
import { declareWork } from '#fairway/server/declare-work'
import { keepRows } from '#fairway/server/keep-rows'
import { checkCollections } from '#fairway/server/domains/collections'
import { declareProviders } from '#fairway/server/domains/oauth-client'
import { backgroundDone } from '#fairway/server/kernel/background'
import { startJobs } from '#fairway/server/kernel/jobs'
import { createEdge } from '#fairway/testing/edge'
import { copyMigratedDatabase } from './database'
import { expectNoScans, recordHere } from './query-plans'
import { expectNoSecrets, SECRET } from './secrets'
import { freePort, testEnv, type TestServer } from './server'

/**
 * Serves the sample application from this process to the tests of the project `unit`, as `borrowServer` does elsewhere: they cost a
 * third of what they cost with a process of their own. It renders no pages of the application.
 */
export async function openApp({ env, host }: { env: Record<string, string>; host: string }): Promise<TestServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'fw-test-'))
  const port = env.PORT ? Number(env.PORT) : await freePort()
  const endRecording = await recordHere(dataDir)
  const origin = `http://${host}:${port}`
  const lines: string[] = []
  await copyMigratedDatabase(join(dataDir, 'fairway.db'))
  const app = await createApp({
    env: { ...testEnv(env), FW_BASE_URL: origin, FW_DATA_DIR: dataDir, FW_RATE_LIMITS: 'off', ...env },
    fwConfig,
    frames,
    write: line => lines.push(line),
  })
  checkCollections(app, collections)
  await keepRows(app, collections)
  declareProviders(app, providers)
  declareWork(app, { jobs, mails, actions: async () => actions })
  const edge = createEdge(app, handlers, { port, host })
  await edge.open()
  const stopJobs = startJobs(app, jobs)
  const kill = async () => {
    endRecording()
    await edge.close()
    await stopJobs()
    await backgroundDone(app)
    await app.db.close()
    await rm(dataDir, { recursive: true, force: true })
  }
  const log = () => lines.join('\n')
  const secret = env.BETTER_AUTH_SECRET ?? SECRET
  return {
    origin,
    dataDir,
    secret,
    log,
    kill,
    async stop() {
      await kill()
      expectNoSecrets(log(), [secret])
      await expectNoScans(dataDir)
    },
  }
}
