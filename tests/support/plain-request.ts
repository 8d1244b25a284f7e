import { request } from 'node:http'

/** Sends exactly these headers: `fetch` of Node calls itself `sec-fetch-mode: cors`, whatever it is told. */
export function plainRequest(
  url: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, answer => {
      const chunks: Buffer[] = []
      answer.on('data', chunk => chunks.push(chunk as Buffer))
      answer.on('end', () => {
        const received = new Headers()
        for (let at = 0; at < answer.rawHeaders.length; at += 2)
          received.append(answer.rawHeaders[at] ?? '', answer.rawHeaders[at + 1] ?? '')
        const status = answer.statusCode ?? 0
        resolve(new Response(chunks.length > 0 ? Buffer.concat(chunks) : null, { status, headers: received }))
      })
    })
    sent.on('error', reject)
    sent.end()
  })
}
