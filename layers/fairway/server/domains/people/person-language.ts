// The language of a person, for mails that answer no page of theirs.
import type { App } from '#fairway/server/kernel/app-context'
import { languages } from '#fairway/server/kernel/messages'
import { type Language, toLanguage } from '#fairway/shared/languages'
import { LANGUAGE_KEY, writeUserSetting } from './person-values'

/** The language that a person has chosen, or first signed in with; undefined where none is known. */
export async function languageOfPerson(
  app: App,
  person: { userId: string } | { email: string },
): Promise<Language | undefined> {
  const [column, value] = 'userId' in person ? ['id', person.userId] : ['email', person.email.trim().toLowerCase()]
  const [row] = await app.db.prepareRead<{ value: string }>(
    `select s.value as value from user_settings s join users u on u.id = s.user_id where u.${column} = ? and s.key = ?`,
  )([value, LANGUAGE_KEY])
  return toLanguage(row?.value, languages)
}

/** Remembers the language that a person has chosen. */
export const rememberLanguage = (app: App, userId: string, language: Language): Promise<void> =>
  writeUserSetting(app, userId, LANGUAGE_KEY, language)
