import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type AuditNames, auditSentence, keptFields, sentenceText } from '#fairway/app/audit/audit-sentence'
import type { AuditEntry } from '#fairway/shared/schemas/audit'

const catalog: Record<string, string> = {
  'audit.system': 'System',
  'audit.thing': 'an item',
  'audit.unknown': 'unknown',
  'audit.otherPeople': 'other people',
  'audit.sentence.ok': '{person} ran {action}',
  'auditOutcomes.denied': '{person} wasn’t allowed to run {action}',
  'audit.sentence.forPerson': '{host} (for {person})',
  'auditThings.notes': 'a note',
  'auditRoles.admin': 'Admin',
  'auditActions.archive-note': '{person} archived {thing}',
  'auditActions.archive-note-archived-false': '{person} restored {thing}',
  'auditActions.change-member-role': '{person} changed the role of {people} to {role}',
  'auditActions.invite-member': '{person} invited {people}',
  'auditActions.chain': '{thing} von {person}',
  'auditActions.assign-role-role-null': '{person} removed {people}’s role',
  'auditActions.suspend-person': '{person} suspended {people}',
}
const language = {
  code: 'en',
  has: (key: string) => key in catalog,
  t: (key: string, values: Record<string, string> = {}) =>
    (catalog[key] ?? key).replaceAll(/\{(\w+)\}/g, (_all, name: string) => values[name] ?? ''),
}
const names: AuditNames = {
  people: [
    { userId: 'u1', email: 'maria@example.test', name: 'Maria', image: null },
    { userId: 'u2', email: 'jon@example.test', name: 'Jon', image: null },
  ],
  hosts: { c1: 'Claude' },
}
const anEntry = (more: Partial<AuditEntry>): AuditEntry => ({
  id: '1',
  at: '2026-11-22T10:00:00.000Z',
  clientAddress: null,
  device: null,
  changes: null,
  action: 'archive-note',
  caller: 'http',
  via: null,
  userId: 'u1',
  userEmail: 'maria@example.test',
  outcome: 'ok',
  errorCode: null,
  requestId: 'r',
  input: null,
  subject: { type: 'notes', id: 'n1', title: 'Weekly metrics', path: '/notes/n1' },
  times: 1,
  seq: null,
  hash: null,
  ...more,
})
const partsOf = (more: Partial<AuditEntry>) => auditSentence(anEntry(more), names, language)
const said = (more: Partial<AuditEntry>) => sentenceText(partsOf(more))

describe('auditSentence', () => {
  it('names a service account that has no address', () => {
    const given = { action: 'invite-member', input: '{"email":"01a2","account":"Nightly export"}' }
    expect(said(given)).toBe('Maria invited Nightly export')
  })

  it('names the person and the item, with a link to the item’s page', () => {
    expect(partsOf({})).toEqual([
      { kind: 'person', text: 'Maria' },
      { kind: 'text', text: ' archived ' },
      { kind: 'thing', text: 'Weekly metrics', to: '/notes/n1' },
    ])
  })

  it('follows the word order of the language', () => {
    expect(partsOf({ action: 'chain' }).map(({ kind }) => kind)).toEqual(['thing', 'text', 'person'])
  })

  it.each<[string, Partial<AuditEntry>, string]>([
    ['what the input decides', { input: '{"archived":false}' }, 'Maria restored Weekly metrics'],
    ['the host and for whom', { caller: 'mcp', via: 'c1' }, 'Claude (for Maria) archived Weekly metrics'],
    ['a host without a name', { caller: 'mcp', via: 'c9' }, 'Maria archived Weekly metrics'],
    [
      'another application',
      { caller: 'a2a', via: 'https://mail.test' },
      'https://mail.test (for Maria) archived Weekly metrics',
    ],
    [
      'a thing that the reader may not see',
      { subject: { type: 'notes', id: 'n1', title: null, path: null } },
      'Maria archived a note',
    ],
    ['a thing of an unknown kind', { subject: null }, 'Maria archived an item'],
    [
      'people by their names, and roles',
      { action: 'change-member-role', input: '{"email":"jon@example.test","role":"admin"}' },
      'Maria changed the role of Jon to Admin',
    ],
    [
      'several people',
      {
        action: 'invite-member',
        input: '{"invitations":[{"email":"jon@example.test"},{"email":"eve@example.test"}]}',
      },
      'Maria invited Jon and eve@example.test',
    ],
    [
      'a value that was taken away',
      { action: 'assign-role', input: '{"email":"jon@example.test","role":null}' },
      'Maria removed Jon’s role',
    ],
    ['a person by the id', { action: 'suspend-person', input: '{"personId":"u2"}' }, 'Maria suspended Jon'],
    ['people of whom nothing was kept', { action: 'invite-member' }, 'Maria invited other people'],
    ['an action without a sentence', { action: 'create-issue' }, 'Maria ran Create issue'],
    ['a refusal', { outcome: 'denied' }, 'Maria wasn’t allowed to run Archive note'],
    [
      'an account that is gone',
      { userId: 'u9', userEmail: 'x@example.test' },
      'x@example.test archived Weekly metrics',
    ],
    ['the system', { userId: null, userEmail: null }, 'System archived Weekly metrics'],
  ])('writes a sentence for %s', (_what, entry, sentence) => {
    expect(said(entry)).toBe(sentence)
  })

  it('reads no fields from a truncated or missing input', () => {
    expect([keptFields('{"a":1'), keptFields('[1]'), keptFields(null)]).toEqual([[], [], []])
  })
})

describe('the audit text catalog', () => {
  it('has a sentence for every audited operation', () => {
    const { auditActions } = JSON.parse(readFileSync('layers/fairway/app/locales/en/audit.json', 'utf8'))
    const audited = globSync('layers/fairway/server/domains/**/*operations.ts').flatMap(file =>
      [...readFileSync(file, 'utf8').matchAll(/^ {2}'?([\w-]+)'?: operation\(\{(.*?)^ {2}\}\),/gms)]
        .filter(([, , declaration = '']) => /^ {4}audit: /m.test(declaration))
        .map(([, name = '']) => name),
    )
    expect(audited.length).toBeGreaterThan(50)
    expect(audited.filter(name => !(name in auditActions))).toEqual([])
  })
})
