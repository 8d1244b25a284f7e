import { defineEventHandler } from 'h3'
import { answerTokenRequest, grantAndIssueCode } from '#fairway/server/domains/oauth-server'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { createCodeVerifier, toCodeChallenge } from '#fairway/server/kernel/crypto/random'

const CLIENT_ID = 'https://bench.example.com/client.json'
const REDIRECT_URI = 'http://127.0.0.1:1/callback'

/** Returns an access token for the signed-in person, as a host receives it after the consent page. */
export default defineEventHandler(async event => {
  const app = getApp(event)
  const { userId, email, orgId, provider, id: sessionId } = await requireSession(event)
  const verifier = createCodeVerifier()
  const code = await grantAndIssueCode(app, {
    clientId: CLIENT_ID,
    clientName: 'Bench',
    userId,
    email,
    orgId: orgId ?? '',
    provider,
    sessionId,
    scope: ['mcp:read'],
    mayDelete: false,
    asksFirst: true,
    mustSign: false,
    resource: `${app.config.baseUrl}/mcp`,
    redirectUri: REDIRECT_URI,
    codeChallenge: toCodeChallenge(verifier),
  })
  const form = {
    grant_type: 'authorization_code',
    client_id: CLIENT_ID,
    code,
    redirect_uri: REDIRECT_URI,
    code_verifier: verifier,
  }
  const { access_token: token } = await answerTokenRequest(app, { form })
  return { token }
})
