// The states of `npm run screenshots` for an organization: its sections and dialogs.
const MEMBERS = /\/team-members(\?|$)/
const ORG = '**/_fw/org/**'

const menuItem = name => page => page.getByRole('menuitem', { name }).click()

/** The states of the organization's pages, built from the steps of the script that takes the pictures. */
export const teamStates = ({ button, text, inOrder, answer, stall }) => [
  { name: 'team', path: '/team', reach: text('1 member'), isWhole: true },
  {
    name: 'team-loading',
    path: '/team',
    prepare: inOrder(stall(ORG), stall(MEMBERS)),
    reach: text('Everyone in this organization'),
  },
  {
    name: 'team-failed',
    path: '/team',
    prepare: inOrder(answer(ORG, 500), answer(MEMBERS, 500)),
    reach: text('could not be loaded'),
    isWhole: true,
  },
  {
    name: 'team-invite',
    path: '/team',
    reach: inOrder(
      page => page.getByRole('button', { name: 'Invite people' }).first().click(),
      page => page.getByRole('textbox', { name: 'Email addresses' }).fill('grace@example.test, nobody '),
      text('is not an email address'),
    ),
    leave: inOrder(
      page => page.getByRole('textbox', { name: 'Email addresses' }).fill('grace@example.test '),
      button('Invite 1 person'),
      text('1 person was invited'),
    ),
  },
  { name: 'team-not-found', path: '/team?members-name=zebra', reach: text('No results for') },
  { name: 'team-invitations', path: '/team/invitations', reach: text('grace@example.test'), isWhole: true },
  { name: 'team-teams-empty', path: '/team/teams', reach: text('No teams yet') },
  {
    name: 'team-teams-new',
    path: '/team/teams',
    reach: inOrder(button('New team'), page => page.getByRole('textbox', { name: 'Name' }).fill('Sales')),
    leave: inOrder(button('Create team'), text('was created')),
  },
  {
    name: 'team-teams-people',
    path: '/team/teams',
    reach: inOrder(button('People of Sales: No people'), text('No one is in this team yet')),
  },
  { name: 'team-teams', path: '/team/teams', reach: text('Sales'), isWhole: true },
  {
    name: 'team-teams-delete',
    path: '/team/teams',
    reach: inOrder(button('Actions for Sales'), menuItem('Delete'), text('nothing is shared with it')),
  },
  { name: 'team-roles', path: '/team/roles', reach: text('Roles in this application'), isWhole: true },
  {
    name: 'team-role-assign',
    path: '/team/roles',
    reach: inOrder(
      button('Assign role'),
      page => page.getByRole('combobox').click(),
      page => page.getByRole('option').first().waitFor(),
    ),
  },
  {
    name: 'team-role-new',
    path: '/team/roles',
    reach: inOrder(
      button('New role'),
      page => page.getByRole('textbox', { name: 'Name' }).fill('Archivists'),
      page => page.getByRole('checkbox').check(),
    ),
    leave: inOrder(button('Create role'), text('Archivists')),
  },
  { name: 'team-role-made', path: '/team/roles', reach: text('No one has this role'), isWhole: true },
  { name: 'team-sign-in', path: '/team/sign-in', reach: text('Allowed domain'), isWhole: true },
  { name: 'team-vault', path: '/team/vault', reach: text('Add a credential') },
  { name: 'team-vault-add', path: '/team/vault', reach: button('Add a credential') },
  { name: 'team-apps', path: '/team/apps', reach: text('No member has connected') },
  { name: 'team-general', path: '/team/general', reach: text('About this organization') },
  { name: 'team-danger', path: '/team/danger', reach: text('Transfer ownership') },
  { name: 'team-transfer', path: '/team/danger', reach: button(/^Transfer$/) },
  { name: 'team-delete', path: '/team/danger', reach: button(/^Delete$/) },
  {
    name: 'organization-new',
    path: '/',
    least: 900,
    reach: inOrder(button(/^Organization /), menuItem('Create organization')),
  },
  {
    name: 'organization-find',
    path: '/',
    least: 900,
    reach: inOrder(button(/^Organization /), menuItem('Find organizations')),
  },
  { name: 'invitation-copied-unknown', path: '/invitation?id=x', reach: text('invitation') },
  { name: 'invitation-unknown', path: '/invitation?id=x&token=x', reach: text('There is no invitation') },
]
