import type { MailCatalog } from './mail-texts'

const askedFrom = (values: { askedFrom: string }): string => `Angefordert wurde das hier: ${values.askedFrom}.`
const UNEXPECTED =
  'Wenn Sie das nicht angefordert haben, ist nichts zu tun. Niemand kommt hinein, ohne den Link zu öffnen.'

/** What mails say in German, as far as they answer a page and so know its language. */
export const germanMails: Pick<
  MailCatalog,
  'magic-link' | 'verification' | 'password-reset' | 'no-account' | 'account-exists'
> = {
  'magic-link': {
    subject: ({ product }) => `Bei ${product} anmelden`,
    lines: [({ product }) => `Öffnen Sie diesen Link, um sich bei ${product} anzumelden.`],
    action: 'Anmelden',
    notes: ['Er gilt einmal und zehn Minuten lang.', askedFrom, UNEXPECTED],
  },
  verification: {
    subject: ({ product }) => `Bestätigen Sie Ihre Adresse für ${product}`,
    lines: [
      ({ product }) =>
        `Jemand, hoffentlich Sie, hat bei ${product} ein Konto mit dieser Adresse und einem Passwort angelegt.`,
    ],
    action: 'Meine Adresse bestätigen',
    notes: [
      'Der Link gilt einmal und 24 Stunden lang.',
      askedFrom,
      'Wenn Sie das nicht waren, öffnen Sie den Link nicht: Er ließe die anderen hinein.',
    ],
  },
  'password-reset': {
    subject: ({ product }) => `Neues Passwort für ${product}`,
    lines: [
      'Öffnen Sie diesen Link, um ein neues Passwort zu wählen. Danach sind Sie hier angemeldet und überall sonst abgemeldet.',
    ],
    action: 'Neues Passwort wählen',
    notes: ['Er gilt einmal und 30 Minuten lang.', askedFrom, UNEXPECTED],
  },
  'no-account': {
    subject: ({ product }) => `Bei ${product} gibt es kein Konto mit dieser Adresse`,
    lines: [
      ({ product }) =>
        `Jemand wollte ein neues Passwort für diese Adresse, aber bei ${product} gibt es kein Konto mit ihr.`,
      'Vielleicht haben Sie sich mit einer anderen Adresse angemeldet.',
    ],
    action: 'Zur Anmeldung',
    notes: [askedFrom, 'Wenn Sie das nicht waren, ist nichts zu tun.'],
  },
  'account-exists': {
    subject: ({ product }) => `Sie haben schon ein Konto bei ${product}`,
    lines: [
      ({ product }) =>
        `Jemand, vielleicht Sie, wollte bei ${product} ein Konto mit dieser Adresse anlegen. Es gibt schon eines.`,
    ],
    action: 'Anmelden',
    notes: [askedFrom, 'Wenn Sie Ihr Passwort vergessen haben, können Sie auf der Anmeldeseite ein neues wählen.'],
  },
}
