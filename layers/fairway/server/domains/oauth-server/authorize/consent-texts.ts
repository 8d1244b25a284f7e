import type { McpScope } from '#fairway/shared/scopes'

function inWords(seconds: number): string {
  const minutes = Math.round(seconds / 60)
  if (minutes === 60) return 'an hour'
  return minutes === 1 ? 'a minute' : `${minutes} minutes`
}

/** What the consent page and those around it say. */
export const consentTexts = {
  unnamed: 'An app without a name',
  title: (client: string) => `Connect ${client}?`,
  lead: (client: string, product: string) => `${client} asks to act for you in ${product}.`,
  app: 'App',
  fromDocument: (host: string) => `It comes from ${host}.`,
  fromRegistration: 'It registered itself. Nobody has checked its name.',
  account: 'Account',
  otherAccount: 'Use another account',
  organization: 'Organization',
  goesTo: 'Your browser goes back to',
  onThisComputer: (where: string) => `an app on this computer (${where})`,
  warning: {
    unknown: 'Anybody can register an app under any name. Go on only if you have just added this one yourself.',
    onComputer: 'A program on this computer will receive the access. Go on only if you have just started it yourself.',
    both: 'Anybody can register an app under any name, and a program on this computer will receive the access. Go on only if you have just started it yourself.',
  },
  scopes: 'What it may do',
  scopeHint: {
    'mcp:read': 'Run the tools that change nothing.',
    'mcp:write': 'Run all other tools too, in your name.',
    'mcp:apps': 'For example a form in the middle of a conversation.',
  } satisfies Record<McpScope, string>,
  keep: 'Keep this app connected',
  keepHint: (lifeInSeconds: number) =>
    `For up to 90 days, also while you are away. Without it the access ends after ${inWords(lifeInSeconds)}.`,
  allow: 'Allow',
  cancel: 'Cancel',
  ending: 'You can end this at any time in the settings, under connected apps.',

  noOrgTitle: 'You are not in an organization',
  noOrgLead: 'An app acts for you within an organization. Create or join one, then connect the app once more.',
  toTeam: 'Go to the team page',
  providerTitle: 'Sign in another way first',
  providerLead: (org: string, provider: string) =>
    `${org} asks for signing in with ${provider}. Sign in that way, then you can connect this app.`,
  signIn: 'Go to the sign-in page',

  approvedTitle: 'The app is connected',
  notConnectedTitle: 'The app was not connected',
  goBackLead: (client: string) => `Press the button to go back to ${client}.`,
  goBack: (client: string) => `Open ${client}`,
  goBackHint: 'Your browser may ask whether it should open the app. You can close this page afterwards.',

  refusedTitle: 'This app cannot be connected',
  refusedLead: 'The address that opened this page is not one that we answer. Nothing was sent to anybody.',
  endedTitle: 'This page is no longer valid',
  endedLead: 'It was answered already, is older than ten minutes, or belongs to another sign-in. Nothing has changed.',
  nothingTitle: 'Nothing was chosen',
  nothingLead: 'Choose at least one thing that the app may do, or cancel.',
  startAgain: 'Start again',
  toStart: 'Go to the start page',
} as const
