// The states of `npm run screenshots` for operators, for consent, and for an organization that requires another sign-in.
import { createHash } from 'node:crypto'
import { button, inOrder as then, seen, text } from './screenshot-steps.mjs'

const SECTIONS = ['organizations', 'jobs', 'mails', 'deliveries', 'health', 'settings']
const REDIRECT = 'https://host.example.com/callback'

/** Opens the consent page of a new host that requests these scopes. */
const consent = (metadata, scope) => async page => {
  const answer = await page.request.post('/mcp/oauth/register', { data: { redirect_uris: [REDIRECT], ...metadata } })
  const { client_id } = await answer.json()
  const code_challenge = createHash('sha256').update('a'.repeat(43)).digest('base64url')
  const asked = {
    response_type: 'code',
    client_id,
    redirect_uri: REDIRECT,
    code_challenge,
    code_challenge_method: 'S256',
  }
  await page.goto(`/mcp/oauth/authorize?${new URLSearchParams({ ...asked, scope, state: 'x' })}`)
}

/** The session of a person whose organization requires another provider. */
const isClosed = page =>
  page.route('**/_fw/session', async route => {
    const answer = await route.fetch()
    const { session } = await answer.json()
    const closedOrg = {
      id: 'x',
      name: 'Harbour Works',
      provider: 'google',
      providerName: 'Google',
      signIn: '/sign-in',
      isOwnProvider: false,
    }
    await route.fulfill({ response: answer, json: { session: { ...session, closedOrg } } })
  })

/** Creates another account, so that the list of people is not empty. */
async function withSomebody(page) {
  const body = JSON.stringify({
    name: 'Maria Ortiz',
    email: 'maria@example.test',
    password: 'quiet harbour lantern 42',
  })
  const origin = new URL(page.url()).origin
  await fetch(`${origin}/_fw/auth/sign-up/email`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', origin },
  })
  await page.reload()
  await text('Maria Ortiz')(page)
}

export const operatorStates = [
  { name: 'operator', path: '/operator', reach: withSomebody, isWhole: true },
  {
    name: 'operator-person',
    path: '/operator',
    reach: then(
      withSomebody,
      page => page.getByRole('button', { name: /^Open/ }).first().click(),
      seen('[role=dialog]'),
    ),
  },
  ...SECTIONS.map(id => ({
    name: `operator-${id}`,
    path: `/operator/${id}`,
    reach: seen('main :is(h2, table, dl, li)'),
    isWhole: true,
  })),
  { name: 'team-webhooks', path: '/team/webhooks', reach: text('No webhooks yet') },
  { name: 'team-webhook-add', path: '/team/webhooks', reach: then(button('Add webhook'), seen('[role=dialog]')) },
  { name: 'connections', path: '/connections', reach: seen('main h2'), isWhole: true },
  { name: 'organization-closed', path: '/notes', prepare: isClosed, reach: text('Harbour Works') },
  {
    name: 'consent',
    path: '/about',
    reach: then(
      consent({ client_name: 'Notion AI', client_uri: 'https://host.example.com' }, 'mcp:read mcp:write'),
      seen('h1'),
    ),
    isWhole: true,
  },
]
