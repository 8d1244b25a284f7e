import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { platformDir } from '#fairway/modules/registry/roots'
import { languagesIn, readServerTexts } from '#fairway/server/kernel/locale-files'

const platformApp = join(platformDir, 'app')
const made: string[] = []
afterEach(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true })
})

/** An application's `app` folder with these files below locales. */
function appWith(files: Record<string, unknown>): string {
  const app = mkdtempSync(join(tmpdir(), 'locales-'))
  made.push(app)
  for (const [path, content] of Object.entries(files)) {
    const file = join(app, 'locales', path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  }
  return app
}
const french = { name: 'Français', direction: 'ltr' }
const serverTexts = (files: Record<string, unknown>) => readServerTexts([appWith(files), platformApp]).texts

describe('languagesIn', () => {
  it('lists the language folders with English first', () => {
    expect(languagesIn([platformApp])).toEqual([
      { code: 'en', name: 'English', direction: 'ltr' },
      { code: 'de', name: 'Deutsch', direction: 'ltr' },
      { code: 'ar', name: 'العربية', direction: 'rtl' },
    ])
  })

  it('adds a language for an application’s new folder, but not for changed texts', () => {
    const app = appWith({ 'fr/language.json': french, 'fr/plans.json': {}, 'de/plans.json': {}, 'ar.json': {} })
    expect(languagesIn([app, platformApp]).map(({ code }) => code)).toEqual(['en', 'de', 'fr', 'ar'])
  })

  it.each([
    [{ 'fr/plans.json': {} }, /locales\/fr\/language\.json is missing: it makes the folder a language/],
    [{ 'fr.json': {} }, /locales\/fr\/language\.json is missing/],
    [{ 'fr/language.json': '{ "name": ' }, /locales\/fr\/language\.json is no JSON: /],
    [{ 'fr/language.json': [] }, /fr\/language\.json must be an object/],
    [{ 'fr/language.json': { direction: 'ltr' } }, /fr\/language\.json: name must be/],
    [{ 'fr/language.json': { ...french, direction: 'left' } }, /fr\/language\.json: direction must be "ltr" or "rtl"/],
    [{ 'fr/language.json': { ...french, dir: 'ltr' } }, /fr\/language\.json: there is no “dir”/],
    [{ 'french/language.json': french, 'FR/language.json': french }, /“FR” is no language tag|“french” is no/],
  ])('refuses %j', (files, fault) => {
    const app = appWith(files)
    expect(() => languagesIn([app, platformApp])).toThrow(fault)
  })
})

describe('readServerTexts', () => {
  it('falls back to English for each missing text', () => {
    const { en, fr } = serverTexts({
      'fr/language.json': french,
      'fr/sign-in.json': { signIn: { title: 'Connexion' } },
    })
    expect(fr).toMatchObject({ signIn: { title: 'Connexion' }, errors: {}, mails: {} })
    expect(fr?.claim).toEqual(en?.claim)
    expect(Object.keys(Object(fr?.signIn))).toEqual(Object.keys(Object(en?.signIn)))
  })

  it('prefers application texts in files of the same name and replaces whole lists', () => {
    const { en, de } = serverTexts({
      'en/claim.json': { claim: { title: 'Whose?' }, plans: { title: 'Plans' } },
      'en/mails.json': { mails: { invitation: { lines: ['Come in.'] }, unknown: { subject: 'x' } } },
      'en/errors.json': { errors: { forbidden: 'Not for you.' } },
      'en/plans.json': { hub: { title: 'not the server’s' } },
    })
    expect(en).toMatchObject({ claim: { title: 'Whose?' }, errors: { forbidden: 'Not for you.' } })
    expect(en).toMatchObject({ mails: { invitation: { lines: ['Come in.'], action: expect.any(String) } } })
    expect(en).not.toHaveProperty('plans')
    expect(JSON.stringify(en)).not.toContain('not the server’s')
    expect(JSON.stringify(de)).not.toContain('Whose?')
  })

  it('completes a mail that has only a subject in English, and omits mails without texts', () => {
    const { fr } = serverTexts({
      'fr/language.json': french,
      'fr/mails.json': { mails: { 'password-changed': { subject: 'Changé' }, 'no-such-mail': { subject: 'x' } } },
    })
    expect(fr?.mails).toEqual({
      'password-changed': {
        subject: 'Changé',
        lines: expect.any(Array),
        action: expect.any(String),
        notes: expect.any(Array),
      },
    })
  })
})
