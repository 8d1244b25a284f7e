import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PROFILE_NAMES, type ProfileName } from '../../fixtures/collections/profiles'
import { type CollectionFixture, startCollectionFixture } from './collection-fixture'

const guide = ['guides', 'reference']
  .map(folder => readFileSync(new URL(`../../../docs/${folder}/collections.md`, import.meta.url), 'utf8'))
  .join('\n')

interface Sample {
  title: string
  method: string
  path: string
  headers: Record<string, string>
  profile: ProfileName
  status: number
  /** The headers that the guide shows. */
  shown: Record<string, string>
  body: unknown
}

const BLOCKS = /```http\n([^`]+)```(?:\n+```text\n([^`]*)```)?(?:\n+```json\n([^`]+)```)?/g

/** Each request of the guide with the response below it. */
const samples: Sample[] = [...guide.matchAll(BLOCKS)].map(([, asked = '', answered = 'HTTP/1.1 200 OK', body]) => {
  const [first = '', ...lines] = asked.trim().split('\n')
  const [method = '', path = ''] = first.split(' ')
  const { profile = 'default', ...headers } = fieldsOf(lines)
  const [status = '', ...shown] = answered.trim().split('\n')
  return {
    title: `${first}${lines.length > 0 ? ` (${lines.join(', ')})` : ''}`,
    method,
    path,
    headers,
    profile: profile as ProfileName,
    status: Number(/HTTP\/1\.1 (\d+)/.exec(status)?.[1]),
    shown: fieldsOf(shown),
    body: body === undefined ? undefined : JSON.parse(body),
  }
})

function fieldsOf(lines: string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map(line => {
      const at = line.indexOf(':')
      return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()]
    }),
  )
}

/** The value that the guide shows; `"…"` at the end of a list stands for the remaining items. */
function completed(shown: unknown, actual: unknown): unknown {
  if (Array.isArray(shown) && shown.at(-1) === '…' && Array.isArray(actual)) {
    const kept = shown.slice(0, -1)
    return [...kept.map((inner, index) => completed(inner, actual[index])), ...actual.slice(kept.length)]
  }
  if (shown === '…') return actual
  if (typeof shown !== 'object' || shown === null || Array.isArray(shown)) return shown
  const from = (actual ?? {}) as Record<string, unknown>
  return Object.fromEntries(Object.entries(shown).map(([key, inner]) => [key, completed(inner, from[key])]))
}

describe('collections guide', () => {
  const fixtures = new Map<ProfileName, CollectionFixture>()
  beforeAll(async () => {
    for (const profile of PROFILE_NAMES) fixtures.set(profile, await startCollectionFixture(profile))
  })
  afterAll(async () => {
    for (const fixture of fixtures.values()) await fixture.stop()
  })

  it('shows a response to each of its requests', () => {
    const requests = [...guide.matchAll(/```http\n(?:GET|HEAD|POST) /g)]
    expect(samples.length).toBeGreaterThan(20)
    expect(requests).toHaveLength(samples.length)
  })

  it.each(samples.map(sample => [sample.title, sample] as const))(
    'shows the actual response to %s',
    async (_title, sample) => {
      const { origin } = fixtures.get(sample.profile) ?? { origin: '' }
      const answer = await fetch(origin + sample.path, { method: sample.method, headers: sample.headers })
      const text = await answer.text()
      expect(answer.status, text).toBe(sample.status)
      for (const [name, value] of Object.entries(sample.shown))
        expect(answer.headers.get(name)?.replaceAll(origin, 'https://app.example.com')).toBe(value)
      if (sample.body === undefined) expect(text).toBe('')
      else expect(JSON.parse(text)).toEqual(completed(sample.body, JSON.parse(text)))
    },
  )
})
