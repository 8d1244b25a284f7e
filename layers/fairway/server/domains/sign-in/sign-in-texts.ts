import type { ErrorCode } from '#fairway/shared/errors'
import { type CheckMailTexts, checkMailTexts, type LinkTexts, linkTexts } from './email-link-texts'

const LANGUAGES = ['en', 'de'] as const
export type Language = (typeof LANGUAGES)[number]

interface SignInTexts {
  title: string
  lead: string
  signUpTitle: string
  signUpLead: string
  email: string
  password: string
  name: string
  passwordHint: (minLength: number) => string
  signIn: string
  createAccount: string
  toSignUp: string
  toSignIn: string
  toPassword: string
  toMagicLink: string
  toReset: string
  backToSignIn: string
  magicLinkLead: string
  mailLink: string
  resetTitle: string
  resetLead: string
  newPassword: string
  lastUsed: string
  withProvider: (name: string) => string
  devLead: string
  devButton: string
  outbox: string
  otherLanguage: string
  errors: Partial<Record<ErrorCode, string>>
  otherError: string
  checkMail: CheckMailTexts
  link: LinkTexts
}

const en: SignInTexts = {
  title: 'Sign in',
  lead: 'Welcome back. Sign in to go on where you were.',
  signUpTitle: 'Create an account',
  signUpLead: 'You need an e-mail address and a password.',
  email: 'E-mail address',
  password: 'Password',
  name: 'Name',
  passwordHint: minLength => `At least ${minLength} characters. A sentence is fine.`,
  signIn: 'Sign in',
  createAccount: 'Create account',
  toSignUp: 'Create an account',
  toSignIn: 'I have an account',
  toPassword: 'Use a password instead',
  toMagicLink: 'Mail me a link instead',
  toReset: 'Forgot your password?',
  backToSignIn: 'Back to sign-in',
  magicLinkLead: 'We mail you a link. No password is needed, and a new address gets an account.',
  mailLink: 'Mail me a link',
  resetTitle: 'Choose a new password',
  resetLead: 'We mail you a link that lets you choose a new one.',
  newPassword: 'New password',
  lastUsed: 'used last',
  withProvider: name => `Continue with ${name}`,
  devLead: 'This is a development server.',
  devButton: 'Continue as dev',
  outbox: 'The mails of this development server',
  otherLanguage: 'Deutsch',
  errors: {},
  otherError: 'This did not work. Try again.',
  checkMail: checkMailTexts.en,
  link: linkTexts.en,
}

const de: SignInTexts = {
  title: 'Anmelden',
  lead: 'Willkommen zurück. Melden Sie sich an und machen Sie dort weiter, wo Sie waren.',
  signUpTitle: 'Konto anlegen',
  signUpLead: 'Sie brauchen eine E-Mail-Adresse und ein Passwort.',
  email: 'E-Mail-Adresse',
  password: 'Passwort',
  name: 'Name',
  passwordHint: minLength => `Mindestens ${minLength} Zeichen. Ein Satz ist gut.`,
  signIn: 'Anmelden',
  createAccount: 'Konto anlegen',
  toSignUp: 'Konto anlegen',
  toSignIn: 'Ich habe ein Konto',
  toPassword: 'Stattdessen mit Passwort anmelden',
  toMagicLink: 'Stattdessen einen Link schicken',
  toReset: 'Passwort vergessen?',
  backToSignIn: 'Zurück zur Anmeldung',
  magicLinkLead:
    'Wir schicken Ihnen einen Link. Ein Passwort ist nicht nötig, und eine neue Adresse bekommt ein Konto.',
  mailLink: 'Link schicken',
  resetTitle: 'Neues Passwort wählen',
  resetLead: 'Wir schicken Ihnen einen Link, mit dem Sie ein neues wählen.',
  newPassword: 'Neues Passwort',
  lastUsed: 'zuletzt benutzt',
  withProvider: name => `Weiter mit ${name}`,
  devLead: 'Dies ist ein Entwicklungsserver.',
  devButton: 'Als Dev fortfahren',
  outbox: 'Die Mails dieses Entwicklungsservers',
  otherLanguage: 'English',
  errors: {
    'invalid-credentials': 'Die E-Mail-Adresse oder das Passwort stimmt nicht.',
    'invalid-code': 'Der Code stimmt nicht, oder er wurde schon benutzt.',
    'second-factor-ended': 'Diese Anmeldung ist abgelaufen. Melden Sie sich noch einmal an.',
    'account-exists': 'Mit dieser Adresse gibt es schon ein Konto.',
    'password-too-short': 'Das Passwort ist zu kurz.',
    'password-too-long': 'Das Passwort ist zu lang.',
    'password-too-common': 'Das Passwort ist zu leicht zu erraten.',
    'rate-limited': 'Zu viele Versuche. Warten Sie einen Moment und versuchen Sie es noch einmal.',
    'cross-origin': 'Die Anfrage kam von einer anderen Seite.',
    'invalid-input': 'Einige Angaben werden nicht angenommen.',
    'provider-account-mismatch':
      'Dieses Konto beim Anbieter gehört hier zu einem anderen Konto. Nichts hat sich geändert.',
    'provider-email-not-verified':
      'Der Anbieter bestätigt Ihre E-Mail-Adresse nicht. Bestätigen Sie sie dort und versuchen Sie es noch einmal.',
    'hub-sign-in-failed':
      'Die Anmeldung über den Identity-Hub hat nicht geklappt. Versuchen Sie es noch einmal, oder melden Sie sich hier an.',
    'hub-state-invalid':
      'Dieser Weg zum Identity-Hub ist abgelaufen oder begann in einem anderen Browser. Versuchen Sie es noch einmal.',
    'hub-unavailable':
      'Der Identity-Hub antwortet gerade nicht. Melden Sie sich hier an, oder versuchen Sie es später noch einmal.',
    'hub-email-not-verified':
      'Der Identity-Hub bestätigt Ihre E-Mail-Adresse nicht. Bestätigen Sie sie dort und versuchen Sie es noch einmal.',
    'sign-in-cancelled': 'Sie haben die Anmeldung abgebrochen. Nichts hat sich geändert.',
    'sign-in-client-refused':
      'Der Anbieter erkennt diese Anwendung nicht an. Ihre Verwaltung muss den Client dort prüfen.',
    'sign-in-code-refused':
      'Der Code des Anbieters wurde schon benutzt oder ist abgelaufen. Melden Sie sich noch einmal an.',
    'sign-in-failed': 'Die Anmeldung beim Anbieter hat nicht geklappt. Versuchen Sie es noch einmal.',
    'connection-cancelled': 'Sie haben beim Anbieter abgebrochen. Nichts hat sich geändert.',
    'connection-failed': 'Die Verbindung mit dem Anbieter hat nicht geklappt. Versuchen Sie es noch einmal.',
    'connection-state-invalid': 'Dieser Weg zum Anbieter ist abgelaufen. Verbinden Sie neu.',
    'email-not-verified': 'Bestätigen Sie zuerst Ihre E-Mail-Adresse.',
    'sign-up-disabled': 'Konten mit Passwort werden hier nicht angelegt.',
    'magic-link-disabled': 'Anmelden per Link wird hier nicht angeboten.',
    'mail-unavailable': 'Von hier können keine Mails verschickt werden.',
    'link-unknown': 'Dieser Link ist unvollständig. Öffnen Sie ihn noch einmal aus der Mail.',
    'link-expired': 'Dieser Link ist zu alt. Lassen Sie sich einen neuen schicken.',
    'link-used': 'Dieser Link wurde schon benutzt. Lassen Sie sich einen neuen schicken.',
    'dev-account-refused': 'Das Entwicklungskonto gibt es hier nicht.',
  },
  otherError: 'Das hat nicht geklappt. Versuchen Sie es noch einmal.',
  checkMail: checkMailTexts.de,
  link: linkTexts.de,
}

/** The texts of the sign-in page in each language. */
export const signInTexts: Record<Language, SignInTexts> = { en, de }

/** The language that a `lang` parameter asks for; `otherwise` (English where not given) for everything else. */
export const toLanguage = (value: unknown, otherwise: Language = 'en'): Language =>
  LANGUAGES.find(language => language === value) ?? otherwise
