import { describe, expect, it } from 'vitest'
import { parseFilter } from '#fairway/server/domains/directory/scim-filter'
import { applyPatch } from '#fairway/server/domains/directory/scim-patch'

const faultOf = (work: () => unknown): unknown => {
  try {
    work()
    return 'none'
  } catch (error) {
    return (error as { scimType?: string }).scimType
  }
}

describe('a filter', () => {
  it.each([
    ['userName eq "ada@example.com"', [['username', 'ada@example.com']]],
    ['externalId Eq "00u1"', [['externalid', '00u1']]],
    // Entra ID documents one without quotes.
    ['userName eq ada@example.com', [['username', 'ada@example.com']]],
    ['emails[type eq "work"].value eq "ada@example.com"', [['emails[type eq "work"].value', 'ada@example.com']]],
    [
      'userName eq "a" and active eq true',
      [
        ['username', 'a'],
        ['active', 'true'],
      ],
    ],
    ['displayName eq "say \\"hi\\" and eq"', [['displayname', 'say "hi" and eq']]],
  ])('%s', (filter, expected) => {
    expect(parseFilter(filter).map(({ attribute, value }) => [attribute, value])).toEqual(expected)
  })

  it.each([
    '',
    'userName',
    'userName co "a"',
    'userName eq "a" or active eq true',
    '(userName eq "a")',
    'userName eq "a',
    'not userName eq "a"',
    `userName eq "${'a'.repeat(1000)}"`,
  ])('is refused: %j', filter => expect(faultOf(() => parseFilter(filter))).toBe('invalidFilter'))

  it('takes no time for backslashes within an open quote', () => {
    expect(faultOf(() => parseFilter(`userName eq "${'\\'.repeat(900)}`))).toBe('invalidFilter')
  })
})

const ADA = {
  userName: 'ada@example.com',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  emails: [{ type: 'work', value: 'ada@example.com', primary: true }],
  active: true,
}
const patched = (...Operations: object[]) => applyPatch(ADA, { Operations })
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

describe('a PATCH', () => {
  it.each([
    ['Okta: an object without a path', { op: 'replace', value: { active: false } }, { active: false }],
    ['Entra ID: capital letters and a text', { op: 'Replace', path: 'active', value: 'False' }, { active: 'False' }],
    [
      'Entra ID with its flag: dotted names',
      { op: 'replace', value: { 'name.givenName': 'Augusta' } },
      { name: { givenName: 'Augusta', familyName: 'Lovelace' } },
    ],
    ['another case of the name', { op: 'replace', path: 'UserName', value: 'b' }, { userName: 'b' }],
    [
      'an entry by a filter',
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'x@example.com' },
      { emails: [{ type: 'work', value: 'x@example.com', primary: true }] },
    ],
    [
      'an entry that is not there yet',
      { op: 'Replace', path: 'phoneNumbers[type eq "mobile"].value', value: '1' },
      { phoneNumbers: [{ type: 'mobile', value: '1' }] },
    ],
    [
      'an attribute of an extension',
      { op: 'Add', path: `${ENTERPRISE}:department`, value: 'Maths' },
      { [ENTERPRISE]: { department: 'Maths' } },
    ],
    [
      'an extension as a whole',
      { op: 'add', value: { [ENTERPRISE]: { department: 'Maths' } } },
      { [ENTERPRISE]: { department: 'Maths' } },
    ],
    [
      'the core schema in the path',
      { op: 'replace', path: 'urn:ietf:params:scim:schemas:core:2.0:User:active', value: false },
      { active: false },
    ],
    ['a removed attribute', { op: 'remove', path: 'name.givenName' }, { name: { familyName: 'Lovelace' } }],
    [
      'an entry removed by value',
      { op: 'Remove', path: 'emails', value: [{ $ref: null, value: 'ada@example.com' }] },
      { emails: [] },
    ],
    ['an entry removed by a filter', { op: 'remove', path: 'emails[type eq "work"]' }, { emails: [] }],
  ])('%s', (_name, operation, expected) => {
    expect(patched(operation)).toMatchObject(expected)
    expect(ADA.active).toBe(true)
  })

  it('removes one entry and keeps the others', () => {
    const two = applyPatch(ADA, { Operations: [{ op: 'add', path: 'emails', value: [{ value: 'b@example.com' }] }] })
    const one = applyPatch(two, { Operations: [{ op: 'remove', path: 'emails[value eq "b@example.com"]' }] })
    expect([two.emails, one.emails]).toEqual([[...ADA.emails, { value: 'b@example.com' }], ADA.emails])
  })

  it('adds an entry that is there already only once', () => {
    expect(patched({ op: 'add', path: 'emails', value: ADA.emails }).emails).toEqual(ADA.emails)
  })

  it.each([
    ['without operations', {}, 'invalidSyntax'],
    ['with an unknown operation', { Operations: [{ op: 'move', path: 'active', value: 1 }] }, 'invalidSyntax'],
    ['that removes nothing in particular', { Operations: [{ op: 'remove' }] }, 'noTarget'],
    ['without a path and with a text', { Operations: [{ op: 'replace', value: 'x' }] }, 'invalidValue'],
    ['with a path that is none', { Operations: [{ op: 'replace', path: 'a..b', value: 'x' }] }, 'invalidPath'],
  ])('%s is refused', (_name, body, scimType) => expect(faultOf(() => applyPatch(ADA, body))).toBe(scimType))

  it('cannot reach the prototype of objects', () => {
    expect(faultOf(() => patched({ op: 'replace', path: '__proto__.polluted', value: true }))).toBe('invalidPath')
    patched({ op: 'replace', path: 'constructor.polluted', value: true })
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    expect((Object as unknown as Record<string, unknown>).polluted).toBeUndefined()
  })
})
