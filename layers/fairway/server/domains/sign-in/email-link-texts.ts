export interface CheckMailTexts {
  title: string
  lead: string
  goOn: string
  resend: string
  back: string
  'not-yet': string
  'mailed-again': string
  ended: string
}

interface LinkPageTexts {
  title: string
  lead: (email: string) => string
  button: string
}

export interface LinkTexts {
  'magic-link': LinkPageTexts
  verification: LinkPageTexts
  'password-reset': LinkPageTexts
  /** Instead of the lead of a confirmation that comes with a new password. */
  choosePassword: (email: string) => string
  askedFrom: (browser: string, address: string, at: string) => string
  thereLead: string
  there: (browser: string) => string
  elsewhere: { title: string; text: (browser: string) => string; button: string }
  endedTitle: string
  askAgain: string
}

/** The texts of the page that waits for a mailed link. */
export const checkMailTexts: Record<'en' | 'de', CheckMailTexts> = {
  en: {
    title: 'Check your mail',
    lead: 'A mail with a link is on its way. Open it here or on another device; this page notices.',
    goOn: 'I have opened the link',
    resend: 'Mail it again',
    back: 'Use another address',
    'not-yet': 'The link was not opened yet.',
    'mailed-again': 'Another mail is on its way. Use the newest one.',
    ended: 'Nothing is waited for any more. If you have finished elsewhere, sign in; otherwise ask for a new link.',
  },
  de: {
    title: 'Sehen Sie in Ihre Mails',
    lead: 'Eine Mail mit einem Link ist unterwegs. Öffnen Sie ihn hier oder auf einem anderen Gerät; diese Seite merkt es.',
    goOn: 'Ich habe den Link geöffnet',
    resend: 'Noch einmal schicken',
    back: 'Eine andere Adresse verwenden',
    'not-yet': 'Der Link wurde noch nicht geöffnet.',
    'mailed-again': 'Eine weitere Mail ist unterwegs. Verwenden Sie die neueste.',
    ended:
      'Hier wird auf nichts mehr gewartet. Wenn Sie anderswo fertig geworden sind, melden Sie sich an; sonst lassen Sie sich einen neuen Link schicken.',
  },
}

/** The texts of the page behind a mailed link. */
export const linkTexts: Record<'en' | 'de', LinkTexts> = {
  en: {
    'magic-link': { title: 'Sign in', lead: email => `You sign in as ${email}.`, button: 'Sign in here' },
    verification: {
      title: 'Confirm your address',
      lead: email => `${email} opens your account once you confirm it.`,
      button: 'Confirm my address',
    },
    'password-reset': {
      title: 'Choose a new password',
      lead: email => `For ${email}. You are then signed in here and signed out everywhere else.`,
      button: 'Save and sign in',
    },
    choosePassword: email =>
      `Confirm ${email} and choose a password. The one from the sign-up is not kept: this browser did not enter it.`,
    askedFrom: (browser, address, at) =>
      `It was asked for at ${at} in ${browser}, from ${address}. If that was not you, close this page.`,
    thereLead: 'Or do you want to go on where you asked for the link?',
    there: browser => `Sign in there: ${browser}`,
    elsewhere: {
      title: 'Go on where you began',
      text: browser => `Confirmed. The page in ${browser} goes on by itself. You can close this one.`,
      button: 'Sign in here too',
    },
    endedTitle: 'This link does not work',
    askAgain: 'Go to the sign-in page',
  },
  de: {
    'magic-link': { title: 'Anmelden', lead: email => `Sie melden sich als ${email} an.`, button: 'Hier anmelden' },
    verification: {
      title: 'Adresse bestätigen',
      lead: email => `${email} öffnet Ihr Konto, sobald Sie die Adresse bestätigen.`,
      button: 'Adresse bestätigen',
    },
    'password-reset': {
      title: 'Neues Passwort wählen',
      lead: email => `Für ${email}. Danach sind Sie hier angemeldet und überall sonst abgemeldet.`,
      button: 'Speichern und anmelden',
    },
    choosePassword: email =>
      `Bestätigen Sie ${email} und wählen Sie ein Passwort. Das bei der Registrierung eingegebene gilt nicht: Dieser Browser hat es nicht eingegeben.`,
    askedFrom: (browser, address, at) =>
      `Angefordert um ${at} in ${browser}, von ${address}. Wenn Sie das nicht waren, schließen Sie diese Seite.`,
    thereLead: 'Oder möchten Sie dort weitermachen, wo Sie den Link angefordert haben?',
    there: browser => `Dort anmelden: ${browser}`,
    elsewhere: {
      title: 'Machen Sie dort weiter, wo Sie begonnen haben',
      text: browser => `Bestätigt. Die Seite in ${browser} geht von selbst weiter. Diese können Sie schließen.`,
      button: 'Auch hier anmelden',
    },
    endedTitle: 'Dieser Link funktioniert nicht',
    askAgain: 'Zur Anmeldung',
  },
}
