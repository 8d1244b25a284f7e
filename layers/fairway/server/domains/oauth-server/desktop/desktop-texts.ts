/** What the pages of desktop sign-in say. */
export const desktopTexts = {
  title: 'Sign in on this computer?',
  lead: (product: string) =>
    `A desktop application on this computer asks to sign you in to ${product} and to the applications of your workspace.`,
  account: 'Account',
  apps: 'Applications',
  noApps: 'None is registered yet.',
  warning: 'Go on only if you have just chosen to sign in, in the desktop application on this computer.',
  proceed: 'Continue',
  otherAccount: 'Use another account',
  ending: 'Otherwise close this window; nothing happens then.',

  completeTitle: 'You can close this window',
  completeLead: 'The desktop application goes on by itself and signs you in to your applications.',

  againTitle: 'Begin again in the desktop application',
  againLead:
    'This sign-in was not begun in this window. Whoever sent you here may want to use your account: confirm nothing that you have not begun yourself.',
  endedTitle: 'This sign-in has ended',
  endedLead: 'It was finished, or it is older than five minutes. Begin again in the desktop application.',
  confirmedTitle: 'This was confirmed already',
  confirmedLead: 'Nothing has changed. You can close this window.',
  confirmedLink: 'Go on',
  signedOutTitle: 'You are signed out',
  signedOutLead: 'Begin again in the desktop application.',

  unverifiedTitle: 'Confirm your e-mail address first',
  unverifiedLead: (email: string) =>
    `Other applications recognise you by ${email}. Open the link that was mailed to you, then come back here.`,
  developmentTitle: 'Sign in with an account of your own',
  developmentLead: 'The development account is known to no other application.',
  tryAgain: 'Try again',
} as const
