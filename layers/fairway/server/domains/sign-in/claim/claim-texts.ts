import type { Language } from '../sign-in-texts'
import type { ClaimContents } from './claim-contents'

interface ClaimTexts {
  title: string
  lead: (email: string) => string
  opens: string
  holds: string
  organizations: string
  sections: Record<keyof ClaimContents['opens'] | keyof ClaimContents['holds'] | 'memberships', string>
  set: string
  active: string
  since: (day: string) => string
  stays: string
  goes: string
  thisSession: string
  alone: string
  onlyMeTitle: string
  onlyMeText: string
  onlyMe: string
  allMineTitle: string
  allMineText: string
  allMine: string
  later: string
  laterText: string
  otherLanguage: string
  refusedTitle: string
  refusedLead: (email: string) => string
  signIn: string
}

/** What the page says on which the owner of an address decides whose the account is. */
export const claimTexts: Record<Language, ClaimTexts> = {
  en: {
    title: 'Is all of this yours?',
    lead: email =>
      `You have just shown that ${email} is your address. Before that, somebody used this account without showing it. If it was you, nothing has to change.`,
    opens: 'What opens this account',
    holds: 'What it holds',
    organizations: 'Organizations it made',
    sections: {
      password: 'Password',
      passkeys: 'Passkeys',
      secondFactor: 'Two-factor sign-in',
      providers: 'Sign-in providers',
      sessions: 'Signed in on',
      apps: 'Connected apps',
      credentials: 'Credentials in the vault',
      connections: 'Connections',
      shares: 'Shared with others',
      invitations: 'Open invitations',
      memberships: 'Other organizations it is in',
    },
    set: 'A password is set',
    active: 'An authenticator app is set up',
    since: day => `since ${day}`,
    stays: 'stays',
    goes: 'would be removed',
    thisSession: 'this one, stays',
    alone: 'Nobody else is in it.',
    onlyMeTitle: 'If something here is not yours',
    onlyMeText:
      'Everything above that is not marked as staying is removed, and links that were mailed end. You remain signed in here, you own the organizations again where nobody else does, and what was written in the application stays. This cannot be undone.',
    onlyMe: 'Only me from now on',
    allMineTitle: 'If you know all of it',
    allMineText: 'Everything stays as it is, and you are not asked again.',
    allMine: 'All of these are mine',
    later: 'Decide later',
    laterText: 'Until then everything stays as it is, and you are asked again.',
    otherLanguage: 'Deutsch',
    refusedTitle: 'Show first that the address is yours',
    refusedLead: email =>
      `Whose this account is can be said by whoever receives mail at ${email}. Sign in by a mailed link, with a provider or through the identity hub; a password or a passkey does not show it.`,
    signIn: 'Sign in that way',
  },
  de: {
    title: 'Gehört das alles Ihnen?',
    lead: email =>
      `Sie haben gerade gezeigt, dass ${email} Ihre Adresse ist. Vorher hat jemand dieses Konto benutzt, ohne das zu zeigen. Waren Sie es selbst, muss sich nichts ändern.`,
    opens: 'Was dieses Konto öffnet',
    holds: 'Was darin liegt',
    organizations: 'Organisationen, die es angelegt hat',
    sections: {
      password: 'Passwort',
      passkeys: 'Passkeys',
      secondFactor: 'Zwei-Faktor-Anmeldung',
      providers: 'Anmeldung über Anbieter',
      sessions: 'Angemeldet auf',
      apps: 'Verbundene Apps',
      credentials: 'Zugangsdaten im Tresor',
      connections: 'Verbindungen',
      shares: 'Mit anderen geteilt',
      invitations: 'Offene Einladungen',
      memberships: 'Weitere Organisationen, zu denen es gehört',
    },
    set: 'Ein Passwort ist gesetzt',
    active: 'Eine Authenticator-App ist eingerichtet',
    since: day => `seit ${day}`,
    stays: 'bleibt',
    goes: 'würde entfernt',
    thisSession: 'diese hier, bleibt',
    alone: 'Sonst ist niemand darin.',
    onlyMeTitle: 'Wenn etwas davon nicht Ihnen gehört',
    onlyMeText:
      'Alles oben, was nicht als bleibend gekennzeichnet ist, wird entfernt, und verschickte Links enden. Sie bleiben hier angemeldet, besitzen die Organisationen wieder, in denen es sonst niemand tut, und was in der Anwendung geschrieben wurde, bleibt. Das lässt sich nicht rückgängig machen.',
    onlyMe: 'Ab jetzt nur ich',
    allMineTitle: 'Wenn Sie alles kennen',
    allMineText: 'Alles bleibt, wie es ist, und Sie werden nicht noch einmal gefragt.',
    allMine: 'Das alles gehört mir',
    later: 'Später entscheiden',
    laterText: 'Bis dahin bleibt alles, wie es ist, und Sie werden wieder gefragt.',
    otherLanguage: 'English',
    refusedTitle: 'Zeigen Sie erst, dass die Adresse Ihnen gehört',
    refusedLead: email =>
      `Wem dieses Konto gehört, kann sagen, wer Mails an ${email} erhält. Melden Sie sich mit einem verschickten Link, über einen Anbieter oder über den Identity-Hub an; ein Passwort oder ein Passkey zeigt es nicht.`,
    signIn: 'So anmelden',
  },
}
