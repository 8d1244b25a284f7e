import { createHash, randomBytes } from 'node:crypto'
import { serve } from './web-server'

interface GithubPerson {
  id: number
  login: string
  name?: string | null
  /** The public address of the profile, which proves nothing. */
  publicEmail?: string
  emails: { email: string; primary: boolean; verified: boolean }[]
}

interface GithubInput {
  clientId: string
  clientSecret: string
}

/** A server that speaks the part of GitHub's documented API that signing in needs, as a GitHub Enterprise Server does. */
export async function startGithub({ clientId, clientSecret }: GithubInput) {
  const codes = new Map<string, { person: GithubPerson; request: URLSearchParams }>()
  const tokens = new Map<string, GithubPerson>()

  async function accessToken(request: Request): Promise<Response> {
    const form = new URLSearchParams(await request.text())
    const grant = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    if (form.get('client_id') !== clientId || form.get('client_secret') !== clientSecret) {
      return Response.json({ error: 'incorrect_client_credentials' })
    }
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const isGood =
      grant?.request.get('code_challenge') === challenge &&
      grant.request.get('redirect_uri') === form.get('redirect_uri')
    // GitHub answers a wrong code with 200.
    if (!grant || !isGood) return Response.json({ error: 'bad_verification_code' })
    const token = `gho_${randomBytes(18).toString('hex')}`
    tokens.set(token, grant.person)
    const answer = { access_token: token, scope: 'read:user,user:email', token_type: 'bearer' }
    const wantsJson = request.headers.get('accept')?.includes('json')
    return wantsJson ? Response.json(answer) : new Response(new URLSearchParams(answer).toString())
  }

  function api(request: Request, path: string): Response {
    if (!request.headers.get('user-agent')) return Response.json({ message: 'User agent required' }, { status: 403 })
    const person = tokens.get((request.headers.get('authorization') ?? '').replace(/^Bearer /, ''))
    if (!person) return Response.json({ message: 'Bad credentials' }, { status: 401 })
    const { id, login, name = null, publicEmail = null, emails } = person
    if (path === '/api/v3/user') {
      return Response.json({ id, login, name, email: publicEmail, avatar_url: `https://github.test/${id}.png` })
    }
    if (path !== '/api/v3/user/emails') return Response.json({ message: 'Not Found' }, { status: 404 })
    return Response.json(emails.map(email => ({ ...email, visibility: 'private' })))
  }

  const server = await serve(async request => {
    const { pathname } = new URL(request.url)
    return pathname === '/login/oauth/access_token' ? accessToken(request) : api(request, pathname)
  })
  return {
    url: server.origin,
    stop: server.stop,
    /** Lets a person in and gives the query that the browser brings back. */
    approve(authorizationUrl: string, person: GithubPerson): URLSearchParams {
      const url = new URL(authorizationUrl)
      if (url.pathname !== '/login/oauth/authorize') throw new Error(`not the authorization page: ${url.pathname}`)
      const code = randomBytes(10).toString('hex')
      codes.set(code, { person, request: url.searchParams })
      return new URLSearchParams({ code, state: url.searchParams.get('state') ?? '' })
    },
  }
}
