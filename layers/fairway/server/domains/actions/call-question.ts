// What a destructive call would do, in the words of the person who approves it.
import { and, getTableColumns, inArray, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { accessibleTo, asReadBy, findShown } from '#fairway/server/domains/organizations'
import { languageOfPerson } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { fill, fillCount, messagesOf, offered } from '#fairway/server/kernel/messages'
import { formatTime, type Language } from '#fairway/shared/languages'
import type { ShownPerson } from '#fairway/shared/schemas/person'
import type { Session } from '#fairway/shared/schemas/session'
import type { Action } from './action'
import { textsAt } from './audit/audit-subject'

/** A row that a call names, as the person may read it. */
interface NamedRow {
  /** Null when the person may not read the title. */
  title: string | null
  /** The owner or creator, for example “Ada Lovelace (ada@example.com)”. */
  owner: string | null
  changedAt: Date | null
}

interface CallQuestion {
  /** “Delete the note “Ideas”?”, or the description of the action. */
  question: string
  /** At most 20 of the named rows that the person may read. */
  rows: NamedRow[]
  /** How many named rows are not in `rows`. */
  more: number
  /** Whether the input says more than which rows. */
  saysMore: boolean
}

interface Call {
  name: string
  action: Pick<Action, 'description' | 'subject'>
  input: Record<string, unknown>
  session: Session
}

const MOST_ROWS = 20
const MOST_CHARACTERS = 200
// Characters that change direction, are invisible or break the line could make a value look like another one.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** A text on one line, without invisible characters. */
export const visible = (text: string): string => text.replaceAll(INVISIBLE, ' ')

/** What the person is asked: the question in their language, and the rows by title. Reads only rows that they may read. */
export async function questionOf(app: App, call: Call, language: Language): Promise<CallQuestion> {
  const { input, session, action } = call
  const ids = action.subject ? [...new Set(textsAt(input, action.subject.id))] : []
  const rows = await findRows(app, session, action.subject, ids.slice(0, MOST_ROWS))
  const isNamed = rows.length > 0
  return {
    question: (rows.length === ids.length && questionAbout(call.name, rows, language)) || action.description,
    rows,
    more: isNamed ? ids.length - rows.length : 0,
    saysMore: !isNamed || Object.keys(input).length > 1,
  }
}

/** The question of the catalog about these rows; undefined if it has none, or needs a title that the person may not read. */
function questionAbout(name: string, rows: readonly NamedRow[], language: Language): string | undefined {
  const template = messagesOf(language).approval.questions?.[name]
  const title = rows[0]?.title ?? ''
  if (template === undefined || rows.length === 0 || (title === '' && template.includes('{title}'))) return undefined
  return fill(fillCount(template, { count: rows.length }, language), { title })
}

const MOST_OF_THE_INPUT = 600

/**
 * The same as a message for a host, in the language of the person: also the name of the host that asks, if it has one. The raw
 * input is part of it only if it says more than which rows.
 */
export async function questionMessage(app: App, call: Call & { host: string | undefined }): Promise<string> {
  const language = (await languageOfPerson(app, call.session)) ?? offered.defaultLanguage
  const texts = messagesOf(language).approval
  const { question, rows, more, saysMore } = await questionOf(app, call, language)
  const input = JSON.stringify(call.input)
  return [
    question,
    ...rows.map(row => [row.title ?? texts.untitled, factsOf(row, language)].filter(Boolean).join(' · ')),
    more > 0 ? fillCount(texts.moreRows, { count: more }, language) : '',
    call.host ? fill(texts.lead, { app: call.host, product: app.config.name }) : '',
    saysMore ? `${call.name} ${input.slice(0, MOST_OF_THE_INPUT)}${input.length > MOST_OF_THE_INPUT ? '…' : ''}` : '',
  ]
    .filter(Boolean)
    .join('\n')
}

async function findRows(
  app: App,
  session: Session,
  subject: Action['subject'],
  ids: readonly string[],
): Promise<NamedRow[]> {
  if (!subject || ids.length === 0) return []
  const { table, title } = subject
  const columns: Partial<Record<string, SQLiteColumn>> = getTableColumns(table)
  const owner = columns.ownerEmail ?? columns.createdBy ?? title
  const changedAt = columns.updatedAt
  const rows = await app.db.orm
    .select({
      title: sql<string | null>`${asReadBy(title, session)}`,
      owner: sql<string | null>`${asReadBy(owner, session)}`,
      changedAt: changedAt ?? sql`null`,
    })
    .from(table)
    .where(and(inArray(table.id, [...ids]), accessibleTo(table, session)))
  const personOf = await findShown(
    app,
    session,
    rows.map(row => row.owner),
  )
  return rows.map(row => ({
    title: row.title === null ? null : visible(String(row.title)).slice(0, MOST_CHARACTERS),
    owner: named(personOf(row.owner)),
    changedAt: row.changedAt instanceof Date ? row.changedAt : null,
  }))
}

const named = (person: ShownPerson | null): string | null => {
  if (!person) return null
  return person.name === person.email ? person.email : `${visible(person.name)} (${person.email})`
}

/** Owner and last change of a row, in one line. */
export function factsOf({ owner, changedAt }: NamedRow, language: Language): string {
  const texts = messagesOf(language).approval
  const facts = [
    owner === null ? '' : fill(texts.owner, { owner }),
    changedAt === null ? '' : fill(texts.changed, { time: `${formatTime(changedAt, language, 'short', 'UTC')} UTC` }),
  ]
  return facts.filter(Boolean).join(' · ')
}
