import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { createEvent } from 'h3'
import { describe, expect, it } from 'vitest'
import { findCalledPerson } from '#fairway/server/domains/agents/peer-calls/authenticate-peer'
import { findStaticAccess } from '#fairway/server/domains/mcp/access'
import { answerTokenRequest, authenticateAccessToken } from '#fairway/server/domains/oauth-server'
import { findHubPerson } from '#fairway/server/domains/oauth-server/hub/token'
import { createTicket, findEmbedSession, openTicket } from '#fairway/server/domains/pages'
import { actAs, getSession } from '#fairway/server/domains/sessions'
import { compilePages } from '#fairway/modules/pages/page-files'
import type { App } from '#fairway/server/kernel/app-context'
import type { Config } from '#fairway/server/kernel/config/config'
import { shareTestApp } from '../../../support/use-app'
import { countStatements } from '../../../support/database-slow'
import { addPerson, aMember, sessionNow, signInAs } from '../../../support/members'
import { approve } from '../../../support/oauth-grant'
import { query } from '../../../support/query'

const test = shareTestApp()

/** Returns the same application with other settings. */
const under = (settings: Partial<Config>): App => ({ ...test.app, config: { ...test.app.config, ...settings } })
const production = (settings: Partial<Config> = {}): App => under({ environment: 'production', ...settings })
const disabled = { authDisabled: { email: 'dev@local.test' } }

const pages = compilePages([{ path: '/embed/:view()', meta: { embed: true } }])

describe('actAs', () => {
  it('runs one prepared statement', async () => {
    const { userId } = await aMember(test.app)
    const statements = await countStatements(test.app, async app => {
      expect(await actAs(app, { userId }, { provider: 'cli' })).toHaveProperty('session')
    })
    expect(statements).toBe(1)
  })

  it('returns the reason for a refusal', async () => {
    const { userId, orgId } = await aMember(test.app)
    const other = await aMember(test.app)
    const stranger = await addPerson(test.app, { emailVerified: false })
    const email = stranger.email
    const proof = { provider: 'a2a' }
    expect(await actAs(test.app, { userId: 'nobody' }, proof)).toEqual({ refusal: 'unknown' })
    expect(await actAs(test.app, { email, mustBeConfirmed: true }, proof)).toEqual({ refusal: 'not-confirmed' })
    expect(await actAs(test.app, { userId }, { ...proof, orgId: other.orgId })).toEqual({
      refusal: 'left-organization',
    })
    expect(await actAs(test.app, { userId }, { ...proof, orgId: null })).toMatchObject({ session: { orgId: null } })
    expect(await actAs(test.app, { userId }, { ...proof, orgId })).toMatchObject({ session: { orgId } })
  })

  it('treats the address as unconfirmed during an account review, except after a sign-in that proves it', async () => {
    const app = under({ operators: ['claimed@example.test'] })
    const { id: userId, email } = await addPerson(app, { email: 'claimed@example.test', claimSince: app.now() })
    const session = async (proof: object) => await actAs(app, { userId }, { provider: 'password', ...proof })
    expect(await session({})).toMatchObject({ session: { emailVerified: false } })
    expect(await session({})).not.toHaveProperty('session.isOperator')
    expect(await session({ provesAddress: true })).toMatchObject({
      session: { emailVerified: true, isOperator: true, mayClaim: true },
    })
    expect(await actAs(app, { email, mustBeConfirmed: true }, { provider: 'a2a' })).toEqual({
      refusal: 'not-confirmed',
    })
    await query(app, 'update users set claim_since = null where id = ?', [userId])
    expect(await session({})).toMatchObject({ session: { emailVerified: true, isOperator: true } })
  })

  it('gives the session ID to server code, but not to responses', async () => {
    const { userId, email } = await aMember(test.app)
    const request = new IncomingMessage(new Socket())
    request.headers = { cookie: (await signInAs(test.app, { userId, email })).split(';')[0] }
    const event = createEvent(request, new ServerResponse(request))
    event.context.app = test.app
    const session = await getSession(event)
    const [row] = await query(test.app, 'select id from sessions where user_id = ?', [userId])
    expect(session?.id).toBe(row?.id)
    expect(Object.keys(session ?? {})).not.toContain('id')
    expect(JSON.stringify(session)).not.toContain(String(row?.id))
  })
})

describe('the development account in production', () => {
  it('has no access through calls, tokens or embeds, except as the fixed identity while sign-in is disabled', async () => {
    const dev = await addPerson(test.app, { kind: 'dev', email: 'dev@local.test', name: 'Dev' })
    const who = { userId: dev.id, email: dev.email, name: dev.name }
    const proved = (provider: string) => sessionNow(test.app, who, provider)
    const connect = async (provider: string) =>
      (
        await answerTokenRequest(test.app, {
          form: await approve(test.app, await proved(provider), {
            clientId: `https://${provider}.example.com/client.json`,
          }),
        })
      ).access_token
    const embed = async (provider: string) => {
      const session = await proved(provider)
      const { url } = await createTicket(test.app, { path: '/embed/notes', session, sessionId: null }, pages)
      return (await openTicket(test.app, new URL(url).searchParams.get('ticket') ?? '')).token
    }
    const tokens = { dev: await connect('dev'), fixed: await connect('auth-disabled') }
    const embeds = { dev: await embed('dev'), fixed: await embed('auth-disabled') }
    const opened = async (app: App) => ({
      devGrant: (await authenticateAccessToken(app, tokens.dev)) !== null,
      fixedGrant: (await authenticateAccessToken(app, tokens.fixed)) !== null,
      devEmbed: (await findEmbedSession(app, embeds.dev)) !== null,
      fixedEmbed: (await findEmbedSession(app, embeds.fixed)) !== null,
      call: (await findCalledPerson(app, { email: dev.email })) !== null,
      staticToken:
        (await findStaticAccess({
          ...app,
          config: { ...app.config, mcp: { ...app.config.mcp, ownerEmail: dev.email } },
        })) !== null,
    })
    const all = { devGrant: true, fixedGrant: true, devEmbed: true, fixedEmbed: true, call: true, staticToken: true }
    const none = {
      devGrant: false,
      fixedGrant: false,
      devEmbed: false,
      fixedEmbed: false,
      call: false,
      staticToken: false,
    }
    expect(await opened(test.app)).toEqual(all)
    expect(await opened(production())).toEqual(none)
    expect(await opened(production(disabled))).toEqual({ ...none, fixedGrant: true, fixedEmbed: true })
  })
})

describe('the identity of older applications', () => {
  it('has no access, even in development', async () => {
    const legacy = await addPerson(test.app, { email: 'local@localhost' })
    const email = legacy.email
    expect(await findCalledPerson(test.app, { email })).toBeNull()
    expect(await findHubPerson(under({ environment: 'development' }), legacy.id)).toMatchObject({
      refusal: 'dev-account-refused',
    })
    expect(await actAs(test.app, { userId: legacy.id }, { provider: 'cli' })).toEqual({ refusal: 'not-open' })
  })
})

describe('an unconfirmed account when confirmation is required', () => {
  it('returns email-not-verified for its tokens, with the page to request a link', async () => {
    const session = await aMember(test.app)
    const tokens = await answerTokenRequest(test.app, { form: await approve(test.app, session) })
    await query(test.app, 'update users set email_verified = 0 where id = ?', [session.userId])
    const signIn = { ...test.app.config.signIn, emailVerification: 'required' as const }
    const strict = under({ signIn })
    await expect(authenticateAccessToken(strict, tokens.access_token)).rejects.toMatchObject({
      code: 'email-not-verified',
      detail: expect.stringContaining('/sign-in') as string,
    })
    expect(await actAs(strict, { userId: session.userId }, { provider: 'cli' })).toEqual({ refusal: 'not-confirmed' })
    await query(test.app, 'update users set email_verified = 1 where id = ?', [session.userId])
    expect(await authenticateAccessToken(strict, tokens.access_token)).not.toBeNull()
  })

  it('has no access to embed pages', async () => {
    const session = await aMember(test.app)
    const { url } = await createTicket(test.app, { path: '/embed/notes', session, sessionId: null }, pages)
    const { token } = await openTicket(test.app, new URL(url).searchParams.get('ticket') ?? '')
    await query(test.app, 'update users set email_verified = 0 where id = ?', [session.userId])
    const signIn = { ...test.app.config.signIn, emailVerification: 'required' as const }
    expect(await findEmbedSession(test.app, token)).not.toBeNull()
    expect(await findEmbedSession(under({ signIn }), token)).toBeNull()
  })
})
