import { dirname } from 'node:path'
import { expect, it } from 'vitest'
import fwReviewAccess from '#fairway/server/jobs/fw-review-access'
import { switchTopics } from '#fairway/server/domains/mails/topics'
import { answerTokenRequest } from '#fairway/server/domains/oauth-server'
import type { App } from '#fairway/server/kernel/app-context'
import { withRun } from '#fairway/server/kernel/current-run'
import type { Session } from '#fairway/shared/schemas/session'
import { addTo, aMember } from '../../../support/members'
import { readOutbox } from '../../../support/mail'
import { approve } from '../../../support/oauth-grant'
import { query } from '../../../support/query'
import { useTestApp } from '../../../support/use-app'

const test = useTestApp()
const DAY_IN_MS = 24 * 60 * 60 * 1000
const START = Date.UTC(2026, 10, 20)

const at = (days: number): App => ({ ...test.app, now: () => new Date(START + days * DAY_IN_MS) })
const run = fwReviewAccess.run as unknown as () => Promise<{ mailed: number }>
const review = (app: App) => withRun({ app, session: null, caller: 'job' }, run)
const mails = () => {
  const all = readOutbox(dirname(test.app.config.mail.outbox ?? ''))
  return all.filter(({ subject }) => subject.startsWith('Unused access'))
}

/** Connects an app on the first day, and sets when it last read, changed and deleted, in days; null for never. */
async function connect(
  person: Session,
  name: string,
  uses: [read: number | null, written: number | null, deleted: number | null],
) {
  const clientId = `https://${name}.example.com/client.json`
  await answerTokenRequest(at(0), { form: await approve(at(0), person, { clientId }) })
  const times = uses.map(day => (day === null ? null : START + day * DAY_IN_MS))
  await query(
    test.app,
    'update oauth_grants set client_name = ?, read_at = ?, written_at = ?, deleted_at = ? where client_id = ?',
    [name, ...times, clientId],
  )
}

it('owners get one mail a month, about connections older than 30 days that did not use what they may', async () => {
  const ada = await aMember(test.app, { email: 'ada@example.test', name: 'Ada' })
  const bob = await aMember(test.app, { email: 'bob@example.test', name: 'Bob' })
  await addTo(test.app, ada, bob, 'admin')
  await connect({ ...bob, orgId: ada.orgId }, 'Reader', [40, null, null])
  await connect(ada, 'Writer', [null, 40, null])
  await connect(ada, 'Cleaner', [40, 40, 40])
  await connect(ada, 'Sleeper', [2, 2, 2])
  expect(await review(at(29))).toEqual({ mailed: 0 })

  // 31 December: several processes, and again on later days of the month.
  const claimed = await Promise.all([review(at(41)), review(at(41))])
  expect(claimed.map(({ mailed }) => mailed).toSorted()).toEqual([0, 1])
  expect(await review(at(41.5))).toEqual({ mailed: 0 })
  expect(mails().map(({ to }) => to)).toEqual(['ada@example.test'])
  const [mail] = mails()
  expect(mail?.text).toContain('Reader (Bob): never created, edited or deleted')
  expect(mail?.text).toContain('Writer (Ada): never deleted')
  expect(mail?.text).toContain('Sleeper (Ada): not used at all')
  expect(mail?.text).not.toContain('Cleaner')
  expect(mail?.text).toContain(`/o/${ada.orgSlug}/team/apps`)
  expect(mail?.text).toContain('/_fw/mail-topics?token=')

  // After two weeks without a server, the next month is made up for.
  expect(await review(at(57))).toEqual({ mailed: 1 })
  expect(mails()).toHaveLength(2)
})

it('sends nothing where everything is used, or to an owner who switched it off', async () => {
  const ada = await aMember(test.app)
  await connect(ada, 'Cleaner', [40, 40, 40])
  expect(await review(at(41))).toEqual({ mailed: 0 })
  await connect(ada, 'Reader', [40, null, null])
  await switchTopics(test.app, ada.email, { off: ['unused-access'] })
  await review(at(41))
  expect(() => mails()).toThrow(/ENOENT/)
})
