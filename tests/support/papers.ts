import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { TeamPerson } from './team'
import type { TestServer } from './server'

export const PDF = Buffer.from('%PDF-1.7\n1 0 obj\n<< >>\nendobj\ntrailer\n<< >>\n%%EOF\n')
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
export const SVG = '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
export const HTML = '<!doctype html><script>alert(1)</script>'

interface Sent {
  upload?: string
  name?: string
  headers?: Record<string, string>
}

export interface Uploaded {
  ticket: string
  id: string
  name: string
  type: string
  size: number
}

/** A body that is sent while it is produced. */
export const streamed = (body: ReadableStream<Uint8Array>) => ({ body, duplex: 'half' }) as RequestInit

/** Helpers for tests of files, on a server of the author's application, whose papers have files. */
export function createPapers(server: TestServer) {
  /** Uploads as this person's browser does. */
  const upload = (
    who: TeamPerson,
    body: string | Buffer,
    { upload: place = 'contract', name = 'a.pdf', headers }: Sent = {},
  ) =>
    fetch(`${server.origin}/_fw/files/${place}`, {
      method: 'POST',
      body: typeof body === 'string' ? body : new Uint8Array(body),
      headers: {
        origin: server.origin,
        'sec-fetch-site': 'same-origin',
        cookie: who.browser.cookieHeader(),
        'content-type': 'application/octet-stream',
        'x-file-name': encodeURIComponent(name),
        ...headers,
      },
    })

  const uploaded = async (...sent: Parameters<typeof upload>): Promise<Uploaded> => {
    const answer = await upload(...sent)
    expect(answer.status, await answer.clone().text()).toBe(201)
    return answer.json()
  }

  const act = async (who: TeamPerson, name: string, json: object) => {
    const answer = await who.browser.post(`/_fw/actions/${name}`, { json })
    return { status: answer.status, body: await answer.json() }
  }

  const item = async (who: TeamPerson, id: string) => (await who.browser.get(`/paper-list/${id}`)).json()

  const bytesOnDisk = (): string[] =>
    readdirSync(join(server.dataDir, 'files'), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && entry.name !== '.fairway')
      .map(({ name }) => name)

  /** Creates a paper of this person with a contract and attachments. */
  async function aPaper(who: TeamPerson, contract: Buffer | string = PDF, attachments: (Buffer | string)[] = []) {
    const file = await uploaded(who, contract)
    const others: Uploaded[] = []
    for (const each of attachments) others.push(await uploaded(who, each, { upload: 'attachment', name: 'b' }))
    const { body } = await act(who, 'create-paper', {
      title: 'A paper',
      contract: file.ticket,
      attachments: others.map(({ ticket }) => ticket),
    })
    const id = String(body.result.id)
    return { id, file, others, url: `/_fw/files/paper-list/${id}/${file.id}` }
  }

  return { upload, uploaded, act, item, bytesOnDisk, aPaper }
}
