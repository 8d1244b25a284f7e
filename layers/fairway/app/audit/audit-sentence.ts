import type { AuditEntry, AuditPerson } from '#fairway/shared/schemas/audit'
import { VISITOR } from '#fairway/shared/visitor'
import { actionTitle } from '../tools/action-title'
import { listOf } from '../utils/words'
import { isRecord } from '#fairway/shared/record'

/** A piece of a sentence: plain text, the actor, or the subject, which may link to a page. */
export interface SentencePart {
  kind: 'text' | 'person' | 'thing'
  text: string
  to?: string
}

/** Names of the people and things that rows reference by ids and addresses. */
export interface AuditNames {
  people: readonly AuditPerson[]
  hosts: Readonly<Record<string, string>>
}

interface Language {
  code: string
  /** The text of a key with its values. */
  t(key: string, values?: Record<string, string>): string
  /** Whether a catalog has the key. */
  has(key: string): boolean
}

/** Placeholders in a translated sentence for parts with special formatting. No catalog and no name contains these characters. */
const MARKS = { person: '\u{E000}', thing: '\u{E001}' } as const

/**
 * A row as a sentence in the reader's language. The catalog has it under `auditActions`, by the action's name; where the input
 * decides what was done, by `<action>-<field>-<value>`. Actions without a text share one generic sentence.
 */
export function auditSentence(entry: AuditEntry, names: AuditNames, language: Language): SentencePart[] {
  const person: SentencePart = { kind: 'person', text: whoActed(entry, names, language) }
  const thing: SentencePart = { kind: 'thing', text: whatOf(entry, language), to: entry.subject?.path ?? undefined }
  const text = language.t(sentenceKey(entry, language), {
    ...valuesOf(entry, names, language),
    action: actionTitle(entry.action, language),
    person: MARKS.person,
    thing: MARKS.thing,
  })
  return text
    .split(/([\u{E000}\u{E001}])/u)
    .filter(Boolean)
    .map(part => (part === MARKS.person ? person : part === MARKS.thing ? thing : { kind: 'text', text: part }))
}

/** The sentence as plain text. */
export const sentenceText = (parts: readonly SentencePart[]): string => parts.map(({ text }) => text).join('')

/** The actor as the reader knows them. Undefined for the system and for deleted accounts. */
export const actorOf = ({ userId }: AuditEntry, { people }: AuditNames): AuditPerson | undefined =>
  people.find(person => person.userId === userId)

/** The text for the actor of a row without a person. */
export const nobodyOf = ({ via }: AuditEntry) => (via === VISITOR ? 'audit.visitor' : 'audit.system')

/** The recorded input as names with values. */
export function keptFields(input: string | null): [name: string, value: unknown][] {
  try {
    const fields: unknown = JSON.parse(input ?? '{}')
    return isRecord(fields) ? Object.entries(fields) : []
  } catch {
    // The input exceeded the row's limit, so it was truncated.
    return []
  }
}

function sentenceKey({ outcome, action, input }: AuditEntry, { has }: Language): string {
  // Only the audit log has other outcomes.
  if (outcome !== 'ok') return `auditOutcomes.${outcome}`
  const byValue = keptFields(input)
    .filter(([, value]) => value === null || typeof value === 'boolean' || typeof value === 'string')
    .map(([field, value]) => `auditActions.${action}-${field}-${String(value)}`)
  const known = [...byValue, `auditActions.${action}`].find(key => /^[\w.-]+$/.test(key) && has(key))
  return known ?? 'audit.sentence.ok'
}

function whoActed(entry: AuditEntry, names: AuditNames, { t }: Language): string {
  if (entry.userId === null && entry.userEmail === null) return t(nobodyOf(entry))
  const person = actorOf(entry, names)?.name || (entry.userEmail ?? t('audit.unknown'))
  const host =
    entry.via && (names.hosts[entry.via] ?? (entry.caller === 'a2a' || entry.caller === 'job' ? entry.via : undefined))
  return host ? t('audit.sentence.forPerson', { host, person }) : person
}

function whatOf({ subject }: AuditEntry, { t, has }: Language): string {
  if (subject?.title) return subject.title
  const noun = `auditThings.${subject?.type ?? ''}`
  return subject && has(noun) ? t(noun) : t('audit.thing')
}

const FIELDS = ['name', 'key', 'provider', 'app', 'format', 'plan'] as const

function valuesOf({ input }: AuditEntry, { people }: AuditNames, language: Language): Record<string, string> {
  const fields = keptFields(input)
  const texts = Object.fromEntries(
    fields.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )
  const unknown = language.t('audit.unknown')
  const role =
    texts.role && language.has(`auditRoles.${texts.role}`) ? language.t(`auditRoles.${texts.role}`) : texts.role
  const emailOfId = (id: unknown) => people.find(person => person.userId === id)?.email
  const named = fields.flatMap(([name, value]) => {
    if (name === 'invitations' && Array.isArray(value)) return value.map(emailOf)
    return name === 'email' ? [texts.account ?? value] : name === 'personId' ? [emailOfId(value)] : []
  })
  const known = named
    .filter(email => typeof email === 'string')
    .map(email => people.find(person => person.email === email)?.name || email)
  return {
    ...Object.fromEntries(FIELDS.map(field => [field, unknown])),
    ...texts,
    role: role ?? unknown,
    people: known.length > 0 ? listOf(known, language.code) : language.t('audit.otherPeople'),
  }
}

const emailOf = (value: unknown): unknown => (isRecord(value) ? value.email : undefined)

/** Renders audit rows as sentences in the chosen language. */
export function useAuditSentence() {
  const { t, te } = useI18n()
  const { language } = useLanguage()
  const texts = { t: (key: string, values = {}) => t(key, values), has: (key: string) => te(key) || te(key, 'en') }
  return (entry: AuditEntry, names: AuditNames) => auditSentence(entry, names, { code: language.value, ...texts })
}
