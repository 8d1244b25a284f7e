import type { Language } from './sign-in-texts'

interface SecondFactorTexts {
  title: string
  lead: string
  code: string
  button: string
  backup: string
  backupCode: string
  back: string
}

/** The texts of the page that asks for the second factor. */
export const secondFactorTexts: Record<Language, SecondFactorTexts> = {
  en: {
    title: 'One more step',
    lead: 'Open your authenticator app and enter the code it shows for this account.',
    code: 'Six-digit code',
    button: 'Sign in',
    backup: 'I cannot use the app',
    backupCode: 'One of your backup codes',
    back: 'Start again',
  },
  de: {
    title: 'Noch ein Schritt',
    lead: 'Öffnen Sie Ihre Authenticator-App und geben Sie den Code ein, den sie für dieses Konto zeigt.',
    code: 'Sechsstelliger Code',
    button: 'Anmelden',
    backup: 'Ich kann die App nicht benutzen',
    backupCode: 'Einer Ihrer Backup-Codes',
    back: 'Von vorn beginnen',
  },
}
