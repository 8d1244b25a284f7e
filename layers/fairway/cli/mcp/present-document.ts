import * as oauth from 'oauth4webapi'
import { z } from 'zod'
import { fail, requestOptions } from './discovery-steps'
import { describeAnswer, printable, reasonOf, StepFailure } from './step-failure'

const documentSchema = z.object({ redirect_uris: z.array(z.string()).min(1) })
const LONGEST = 600

/**
 * Shows the server a client's metadata document as a host does, signed out, and passes when it was accepted: then the server has a way
 * out to it. Nothing is connected.
 */
export async function presentDocument(server: oauth.AuthorizationServer, document: URL, resource: URL): Promise<void> {
  const redirectUri = await readRedirect(document)
  const url = new URL(server.authorization_endpoint ?? '')
  const query = {
    response_type: 'code',
    client_id: document.href,
    redirect_uri: redirectUri,
    code_challenge: await oauth.calculatePKCECodeChallenge(oauth.generateRandomCodeVerifier()),
    code_challenge_method: 'S256',
    resource: resource.href,
  }
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  const step = `show ${document.href} at ${server.authorization_endpoint}`
  const expected = 'a way to the sign-in page'
  const { signal } = requestOptions(url)
  const answer = await fetch(url, { redirect: 'manual', signal: signal() }).catch((error: unknown) =>
    fail(step, expected, error),
  )
  if (answer.status >= 400) throw new StepFailure(step, expected, await textOf(answer))
}

async function readRedirect(document: URL): Promise<string> {
  const step = `GET ${document.href}`
  const expected = 'a metadata document with redirect_uris'
  try {
    const { signal } = requestOptions(document)
    const answer = await fetch(document, { redirect: 'manual', signal: signal() })
    if (answer.status !== 200) throw new StepFailure(step, expected, await describeAnswer(answer))
    const { redirect_uris: redirects } = documentSchema.parse(await answer.json())
    return redirects[0] ?? ''
  } catch (error) {
    if (error instanceof StepFailure) throw error
    throw new StepFailure(step, expected, reasonOf(error), { cause: error })
  }
}

/** What a page says to people. */
async function textOf(answer: Response): Promise<string> {
  const page = await answer.text()
  const [, body = page] = /<main[^>]*>(.*)<\/main>/s.exec(page) ?? []
  return `${answer.status}: ${printable(body.replaceAll(/<[^>]*>/g, ' '), LONGEST)}`
}
