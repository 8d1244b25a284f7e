// Our PATCH and filters beside those of scimmy, another implementation of RFC 7644. Differences are on purpose and have a reason.
import { Messages, Schemas, Types } from 'scimmy'
import { describe, expect, it } from 'vitest'
import { parseFilter } from '#fairway/server/domains/directory/scim-filter'
import { membersIn } from '#fairway/server/domains/directory/scim-group'
import { applyPatch, readPatch, type ScimDocument } from '#fairway/server/domains/directory/scim-patch'

const { Filter } = Types
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
Schemas.User.definition.extend(Schemas.EnterpriseUser.definition)

const ADA = {
  id: '1',
  userName: 'ada@example.com',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  emails: [
    { type: 'work', value: 'ada@example.com', primary: true },
    { type: 'home', value: 'ada@home.example' },
  ],
  active: true,
  [ENTERPRISE]: { department: 'Engines' },
}
const TEAM = { id: 'g', displayName: 'IT', members: [{ value: 'ada' }, { value: 'ben' }] }

type Operation = { op: string; path?: string; value?: unknown }

/** What scimmy makes of a document, without the attributes that it adds; the kind of its refusal otherwise. */
async function byScimmy(kind: 'User' | 'Group', document: object, operations: Operation[]): Promise<unknown> {
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:PatchOp']
  const Resource = Schemas[kind]
  try {
    const patch = new Messages.PatchOp({ schemas, Operations: structuredClone(operations) } as never)
    const resource = new Resource(structuredClone(document) as never, 'both')
    const patched = (await patch.apply(resource, (each: unknown) => each as never)) ?? resource
    const { schemas: _schemas, meta: _meta, ...rest } = JSON.parse(JSON.stringify(patched))
    return rest
  } catch (error) {
    return (error as { scimType?: string }).scimType
  }
}

/** The members of a group after the statements that a PATCH becomes. */
function members(operations: Operation[]): string[] {
  const ids = new Set(TEAM.members.map(({ value }) => value))
  for (const change of membersIn(readPatch({ Operations: operations }))) {
    if (change.kind === 'set') ids.clear()
    for (const id of change.ids) ids[change.kind === 'remove' ? 'delete' : 'add'](id)
  }
  return [...ids]
}

describe('a PATCH of a user', () => {
  it.each<[string, Operation[]]>([
    ['Okta deactivates', [{ op: 'replace', value: { active: false } }]],
    ['Okta changes several attributes', [{ op: 'replace', value: { userName: 'b@example.com', displayName: 'B' } }]],
    ['Entra ID replaces an attribute', [{ op: 'Replace', path: 'displayName', value: 'Augusta' }]],
    [
      'Entra ID replaces the value of an entry',
      [{ op: 'Replace', path: 'emails[type eq "work"].value', value: 'x@y.z' }],
    ],
    ['Entra ID with its flag sends dotted names', [{ op: 'replace', value: { 'name.givenName': 'Augusta' } }]],
    ['an attribute of an extension', [{ op: 'Add', path: `${ENTERPRISE}:department`, value: 'Maths' }]],
    ['an extension as a whole', [{ op: 'replace', value: { [ENTERPRISE]: { department: 'Maths' } } }]],
    ['an added entry', [{ op: 'add', path: 'emails', value: [{ type: 'other', value: 'ada@other.example' }] }]],
    ['a removed part', [{ op: 'remove', path: 'name.givenName' }]],
    ['a removed entry', [{ op: 'remove', path: 'emails[type eq "home"]' }]],
    [
      'an entry removed by two comparisons',
      [{ op: 'remove', path: 'emails[type eq "home" and value eq "ada@home.example"]' }],
    ],
    ['a removed part of an entry', [{ op: 'remove', path: 'emails[type eq "work"].primary' }]],
    ['all entries removed', [{ op: 'remove', path: 'emails' }]],
    [
      'several operations in order',
      [
        { op: 'remove', path: 'displayName' },
        { op: 'add', path: 'displayName', value: 'A' },
      ],
    ],
    ['nothing new', [{ op: 'replace', value: { active: true } }]],
  ])('%s: as scimmy', async (_name, Operations) => {
    expect(applyPatch(ADA, { Operations })).toEqual(await byScimmy('User', ADA, Operations))
  })

  it.each<[string, Operation[], string | ScimDocument, ScimDocument]>([
    // Entra ID without its flag sends texts; `readUser` makes them booleans.
    ['takes "False"', [{ op: 'Replace', path: 'active', value: 'False' }], 'invalidValue', { active: 'False' }],
    [
      // Entra ID sends this to make the entry.
      'makes an entry that is not there',
      [{ op: 'Replace', path: 'phoneNumbers[type eq "mobile"].value', value: '1' }],
      'noTarget',
      { phoneNumbers: [{ type: 'mobile', value: '1' }] },
    ],
    [
      // As RFC 7644 §3.10 spells it.
      'knows the core schema in a path',
      [{ op: 'replace', path: 'urn:ietf:params:scim:schemas:core:2.0:User:active', value: false }],
      'invalidPath',
      { active: false },
    ],
    [
      // RFC 7644 §3.5.2.3: sub-attributes that are not specified are left unchanged.
      'keeps the other parts of a complex attribute',
      [{ op: 'replace', path: 'name', value: { givenName: 'Augusta' } }],
      { name: { givenName: 'Augusta' } },
      { name: { givenName: 'Augusta', familyName: 'Lovelace' } },
    ],
    [
      'adds no entry twice',
      [{ op: 'add', path: 'emails', value: [ADA.emails[0]] }],
      { emails: [ADA.emails[0], ADA.emails[1], ADA.emails[0]] },
      { emails: ADA.emails },
    ],
  ])('%s, unlike scimmy', async (_name, Operations, theirs, ours) => {
    const made = await byScimmy('User', ADA, Operations)
    if (typeof theirs === 'string') expect(made).toBe(theirs)
    else expect(made).toMatchObject(theirs)
    expect(applyPatch(ADA, { Operations })).toMatchObject(ours)
  })
})

describe('a PATCH of a group', () => {
  it.each<[string, Operation[]]>([
    [
      'Okta: one leaves and one enters',
      [
        { op: 'remove', path: 'members[value eq "ada"]' },
        { op: 'add', path: 'members', value: [{ value: 'cyd' }] },
      ],
    ],
    [
      'Okta: two leave',
      [
        { op: 'remove', path: 'members[value eq "ada"]' },
        { op: 'remove', path: 'members[value eq "ben"]' },
      ],
    ],
    ['Okta: other members', [{ op: 'replace', path: 'members', value: [{ value: 'cyd' }] }]],
    ['Okta: no members', [{ op: 'replace', path: 'members', value: [] }]],
    ['Entra ID: one enters', [{ op: 'Add', path: 'members', value: [{ $ref: null, value: 'cyd' }] }]],
    ['Entra ID: one leaves', [{ op: 'Remove', path: 'members', value: [{ $ref: null, value: 'ben' }] }]],
    ['Entra ID with its flag: one leaves', [{ op: 'Remove', path: 'members[value eq "ben"]' }]],
    ['all leave', [{ op: 'remove', path: 'members' }]],
  ])('%s: as scimmy', async (_name, operations) => {
    const theirs = (await byScimmy('Group', TEAM, operations)) as { members?: { value: string }[] }
    expect(members(operations)).toEqual((theirs.members ?? []).map(({ value }) => value))
  })

  // RFC 7644 §3.5.2.3: without a path, value has the attributes to replace.
  it('replaces members without a path, unlike scimmy', async () => {
    const operations = [{ op: 'replace', value: { members: [{ value: 'cyd' }] } }]
    expect(await byScimmy('Group', TEAM, operations)).toMatchObject({ members: [...TEAM.members, { value: 'cyd' }] })
    expect(members(operations)).toEqual(['cyd'])
  })

  it('adds no member twice, unlike scimmy', async () => {
    const operations = [{ op: 'Add', path: 'members', value: [{ value: 'ada' }] }]
    expect(await byScimmy('Group', TEAM, operations)).toMatchObject({ members: [...TEAM.members, { value: 'ada' }] })
    expect(members(operations)).toEqual(['ada', 'ben'])
  })
})

describe('a filter', () => {
  /** The comparisons of scimmy as rows: an attribute with its path, and the value as text. */
  const rowsOf = (comparisons: object, path = ''): [string, string][] =>
    Object.entries(comparisons).flatMap(([name, value]) => {
      const attribute = `${path}${name.toLowerCase()}`
      return Array.isArray(value) ? [[attribute, String(value[1])]] : rowsOf(value, `${attribute}.`)
    })

  it.each([
    'userName eq "ada@example.com"',
    'externalId Eq "00u1"',
    'displayName eq "a and b eq c"',
    'displayName eq ""',
    'active eq true',
    'userName eq "a" and active eq false',
    'id eq "1" and externalId eq "2" AND displayName eq "3"',
    'name.givenName eq "Ada"',
    'emails.value eq "ada@example.com"',
  ])('%s: as scimmy', filter => {
    const theirs = [...new Filter(filter)].flatMap(each => rowsOf(each))
    expect(parseFilter(filter).map(({ attribute, value }) => [attribute, value])).toEqual(theirs)
  })

  it.each(['userName', 'userName eq "a" active eq true'])('%s is refused, as by scimmy', filter => {
    expect(() => new Filter(filter)).toThrow()
    expect(() => parseFilter(filter)).toThrow()
  })

  it.each(['userName eq', 'eq "a"', 'userName eq "a" and'])(
    '%s is incomplete and refused, unlike by scimmy',
    filter => {
      expect(() => new Filter(filter)).not.toThrow()
      expect(() => parseFilter(filter)).toThrow()
    },
  )

  it('takes the value without quotes that Entra ID documents, and quotes within a text, unlike scimmy', () => {
    for (const filter of ['userName eq ada@example.com', String.raw`displayName eq "say \"hi\" to her"`]) {
      expect(() => new Filter(filter)).toThrow()
      expect(parseFilter(filter)).toHaveLength(1)
    }
  })
})
