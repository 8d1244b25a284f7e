// Runs one measured round of renewals: `node bench/refresh-load.mjs '{url, tokens, seconds}'` prints renewals per second, their
// count and the next tokens.
import { Agent, request } from 'undici'

const { url, tokens, seconds } = JSON.parse(process.argv[2])
const dispatcher = new Agent({ connections: tokens.length, pipelining: 1 })
const began = performance.now()

/** A host that renews repeatedly, always with its newest token. */
async function chain(refreshToken) {
  let token = refreshToken
  let count = 0
  while (performance.now() < began + seconds * 1000) {
    const body = new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: 'bench',
      refresh_token: token,
    }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await request(url, { method: 'POST', headers, body, dispatcher })
    const tokens = await answer.body.json()
    if (answer.statusCode !== 200) throw new Error(JSON.stringify(tokens))
    token = tokens.refresh_token
    count += 1
  }
  return { token, count }
}

const chains = await Promise.all(tokens.map(chain))
const elapsed = (performance.now() - began) / 1000
const count = chains.reduce((sum, each) => sum + each.count, 0)
console.log(JSON.stringify({ perSecond: count / elapsed, count, tokens: chains.map(({ token }) => token) }))
await dispatcher.close()
