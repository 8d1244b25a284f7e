import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PROFILE_NAMES } from '../../fixtures/collections/profiles'
import { type Example, examples } from '../../fixtures/collections/examples'
import { type CollectionFixture, startCollectionFixture } from './collection-fixture'

interface Body {
  '@id'?: string
  '@type'?: string
  totalItems?: number
  member: { id: number }[]
  view?: Record<string, string>
}

describe.each(PROFILE_NAMES)('collections with the %s profile', profile => {
  const cases = examples.filter(example => example.profile === profile)
  let fixture: CollectionFixture
  beforeAll(async () => {
    fixture = await startCollectionFixture(profile)
  })
  afterAll(() => fixture.stop())

  it('return 200 on the root of a fixture', async () => {
    const name = { default: 'items', renamed: 'renamed', 'global-off': 'global-off', 'hydra-prefix': 'prefixed' }[
      profile
    ]
    expect((await fixture.request(`/${name}`)).status).toBe(200)
  })

  it.each(cases.map(example => [`${example.id}: /${example.collection}?${example.query}`, example] as const))(
    'respond to %s as the example says',
    async (_title, example) => {
      await check(fixture, example)
    },
  )
})

async function check(fixture: CollectionFixture, { collection, query, expect: wanted, exact }: Example): Promise<void> {
  const answer = await fixture.request(`/${collection}${query === '' ? '' : `?${query}`}`)
  const text = await answer.text()
  expect(answer.status, text).toBe(wanted.status)
  if (wanted.errorContains !== undefined) expect(text).toContain(wanted.errorContains)
  if (wanted.status !== 200) return
  const body = JSON.parse(text) as Body
  checkItems(body, wanted)
  checkView(body, wanted, exact ?? false)
  if (wanted.shape) checkShape(body, wanted.shape)
}

function checkItems(body: Body, wanted: Example['expect']): void {
  const ids = body.member.map(({ id }) => id)
  if (wanted.ids) expect(ids).toEqual(wanted.ids)
  if (wanted.itemCount !== undefined) expect(ids).toHaveLength(wanted.itemCount)
  if (wanted.firstId !== undefined) expect(ids[0]).toBe(wanted.firstId)
  if (wanted.lastId !== undefined) expect(ids.at(-1)).toBe(wanted.lastId)
  if (wanted.totalItems === 'absent') expect(body).not.toHaveProperty('totalItems')
  else if (wanted.totalItems !== undefined) expect(body.totalItems).toBe(wanted.totalItems)
}

function checkView(body: Body, { view, viewId }: Example['expect'], exact: boolean): void {
  const comparable = exact ? (link: string | undefined) => link : decoded
  if (viewId !== undefined) expect(comparable(body.view?.['@id'])).toEqual(comparable(viewId))
  if (view === null) expect(body).not.toHaveProperty('view')
  for (const [name, link] of Object.entries(view ?? {})) {
    if (link === null) expect(body.view, 'the view').not.toHaveProperty(name)
    else if (link === '*') expect(body.view).toHaveProperty(name)
    else expect(comparable(body.view?.[name]), name).toEqual(comparable(link))
  }
}

function checkShape(body: Body, shape: NonNullable<Example['expect']['shape']>): void {
  expect(body['@id']).toBe(shape['@id'])
  expect(body['@type']).toBe(shape['@type'])
  expect(Object.keys(body)).toEqual(shape.keys)
  if (shape.viewType) expect(body.view?.['@type']).toBe(shape.viewType)
  if (shape.viewKeys) expect(Object.keys(body.view ?? {}).toSorted()).toEqual(shape.viewKeys.toSorted())
}

/** Returns the path and the set of parameters, because links can differ in their order and encoding. */
function decoded(link: string | undefined) {
  if (link === undefined) return undefined
  const url = new URL(link, 'http://fixture')
  return { path: url.pathname, pairs: [...url.searchParams].map(pair => pair.join('=')).toSorted() }
}
