import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { writeFiles } from '../../../support/files'
import { createBrowser, sessionOf } from '../../../support/http'
import { startProgram } from '../../../support/program'
import { asPerson, walkPages } from '../../../support/provider-oidc'
import { borrowServer, freePort } from '../../../support/server'
import { createTeamWorld } from '../../../support/team'

const GUIDE = 'docs/guides/it-department.md'

/** The block of the guide in this language, under "Try it on your machine". */
function blockOf(language: string): string {
  const [, section = ''] = readFileSync(GUIDE, 'utf8').split('## Try it on your machine')
  const [, block = ''] = new RegExp(`^ *\`\`\`${language}\n(.*?)^ *\`\`\``, 'ms').exec(section) ?? []
  return block.replaceAll(/^ {3}/gm, '')
}

// The packages of the company are found from here.
const folder = mkdtempSync('test-results/company-')
afterAll(() => rmSync(folder, { recursive: true }))

it('the company of the guide leads from nothing to a colleague who signs in by its provider', async () => {
  const [dns, web] = [await freePort(), await freePort()]
  const here = (text: string) => text.replaceAll('9053', String(dns)).replaceAll('9000', String(web))
  writeFiles(folder, { 'company.mjs': here(blockOf('js')) })
  let company: ReturnType<typeof startProgram> | undefined
  const tell = async (facts: object) => {
    await company?.kill()
    writeFiles(folder, { 'company.json': JSON.stringify({ ...JSON.parse(blockOf('json')), ...facts }) })
    company = startProgram(join(folder, 'company.mjs'), [])
    const isServed = () =>
      fetch(`${issuer}/.well-known/openid-configuration`).then(
        ({ ok }) => ok,
        () => false,
      )
    await expect.poll(isServed, { timeout: 20_000 }).toBe(true)
  }
  const [, issuer = '', clientId = '', clientSecret = ''] =
    /The issuer is `(http:[^`]+)`, the client ID `([^`]+)`, and the secret `([^`]+)`/.exec(
      here(readFileSync(GUIDE, 'utf8')),
    ) ?? []
  const settings = Object.fromEntries(
    [...here(blockOf('ini')).matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  )
  const server = await borrowServer({ env: settings })
  try {
    const owner = await createTeamWorld(server).person()
    const post = async (path: string, json: object = {}) => {
      const answer = await owner.browser.post(path, { json })
      expect(answer.ok, await answer.clone().text()).toBe(true)
      return answer.json()
    }
    const { record } = await post('/_fw/org/domains', { domain: 'larch.example.org' })
    await tell({ record: record.value })
    expect(await post('/_fw/org/domains/larch.example.org/check')).toMatchObject({ status: 'proved' })
    const { id, redirectUri } = await post('/_fw/org/connections', { name: 'Larch', issuer, clientId, clientSecret })
    await tell({ record: record.value, redirectUri })
    const { origin } = new URL(issuer)
    const { url } = await post(`/_fw/org/connections/${id}/test`)
    const tested = new URL(await walkPages(origin, url, asPerson('admin')))
    await owner.browser.get(tested.pathname + tested.search)
    await post(`/_fw/org/connections/${id}/activate`)

    const grace = createBrowser(server.origin)
    const email = 'grace@larch.example.org'
    const start = await grace.post('/_fw/auth/sign-in/connection', { json: { email, callbackURL: '/notes' } })
    const back = new URL(await walkPages(origin, (await start.json()).url, asPerson('grace')))
    await grace.get(back.pathname + back.search)
    const { orgId } = await sessionOf(owner.browser)
    expect(await sessionOf(grace)).toMatchObject({ email, orgId, orgRole: 'member' })
  } finally {
    await company?.kill()
    await server.stop()
  }
})
