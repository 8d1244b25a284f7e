// The states of `npm run screenshots` for agents: consent, approval, undo and the list of connected apps.
import { createHash } from 'node:crypto'
import { button, inOrder as then, seen, text } from './screenshot-steps.mjs'

const REDIRECT = 'https://host.example.com/callback'
const VERIFIER = 'a'.repeat(43)

/** Opens the consent page of a new host, and lets it delete. Returns the host's ID. */
async function openConsent(page) {
  const metadata = { client_name: 'Notion AI', client_uri: 'https://host.example.com', redirect_uris: [REDIRECT] }
  const { client_id } = await (await page.request.post('/mcp/oauth/register', { data: metadata })).json()
  const query = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: REDIRECT,
    scope: 'mcp:read mcp:write',
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
  })
  await page.goto(`/mcp/oauth/authorize?${query}`)
  for (const name of ['mcp:write', 'delete', 'ask-first']) await page.locator(`input[name="${name}"]`).check()
  return client_id
}

/** Connects a host that may delete. Returns a function that calls a tool as this host. */
async function connect(page) {
  const client_id = await openConsent(page)
  const { action, fields } = await page.evaluate(() => {
    const { form } = document.querySelector('button[name=decision][value=approve]')
    return { action: form.action, fields: Object.fromEntries(new FormData(form)) }
  })
  const headers = { origin: new URL(page.url()).origin }
  const decided = { form: { ...fields, decision: 'approve' }, headers, maxRedirects: 0 }
  const { location } = (await page.request.post(action, decided)).headers()
  const code = new URL(location).searchParams.get('code') ?? ''
  const form = { grant_type: 'authorization_code', client_id, code, redirect_uri: REDIRECT, code_verifier: VERIFIER }
  const { access_token } = await (await page.request.post('/mcp/oauth/token', { form })).json()
  const asHost = { authorization: `Bearer ${access_token}`, accept: 'application/json, text/event-stream' }
  return async (name, input) => {
    const data = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } }
    const answer = await page.request.post('/mcp', { data, headers: asHost })
    return JSON.parse((await answer.text()).replace(/^[^{]*/, '')).result
  }
}

/** A host has created a note. */
async function withNote(page, title) {
  const callTool = await connect(page)
  const { note } = (await callTool('create-note', { title, text: 'Three berths are free until Monday.' }))
    .structuredContent
  return { callTool, note }
}

async function openApproval(page) {
  const { callTool, note } = await withNote(page, 'Berths of last year')
  const { _meta: meta } = await callTool('delete-note', { id: note.id })
  await page.goto(meta['fairway/approval'].url)
}

async function openUndo(page) {
  const { callTool, note } = await withNote(page, 'Berths of this year')
  await callTool('archive-note', { id: note.id })
  await page.goto('/audit')
  await page
    .getByRole('button', { name: /archived Berths of this year/ })
    .first()
    .click()
  await button('Undo')(page)
  await text('1 change can be undone.')(page)
}

/** The list of apps, with the buttons of the newest: its menu, and its details. */
const newestApp = at => async page => {
  await withNote(page, 'Berths of next year')
  await page.goto('/settings/apps')
  await page.locator('main tbody tr').first().getByRole('button').nth(at).click()
}

export const agentStates = [
  { name: 'agent-consent', path: '/about', reach: then(openConsent, seen('h1')), isWhole: true },
  { name: 'agent-approval', path: '/about', reach: then(openApproval, seen('form')), isWhole: true },
  { name: 'agent-undo', path: '/about', reach: openUndo },
  { name: 'agent-app', path: '/about', least: 768, reach: then(newestApp(1), seen('[role=dialog]')) },
  {
    name: 'agent-revoke',
    path: '/about',
    least: 768,
    reach: then(newestApp(0), page => page.getByRole('menuitem', { name: 'Revoke' }).click(), seen('[role=dialog]')),
  },
]
