import type { OrgRole } from '#fairway/shared/roles'

/** A section of a page that has an address of its own. */
interface PaletteSection {
  to: string
  /** The last part of the key of its text. */
  text: string
  icon: string
  /** The text of the page that it belongs to. */
  page: 'settings' | 'team'
  roles?: readonly OrgRole[]
}

const MANAGERS = ['owner', 'admin'] as const

/** The sections of the platform's own pages; those that this application has no page for are left out by the palette. */
export const SECTIONS: readonly PaletteSection[] = [
  { to: '/settings/security', text: 'security', icon: 'i-lucide-shield-check', page: 'settings' },
  { to: '/settings/apps', text: 'apps', icon: 'i-lucide-arrow-right-left', page: 'settings' },
  { to: '/settings/appearance', text: 'appearance', icon: 'i-lucide-monitor', page: 'settings' },
  { to: '/settings/data', text: 'data', icon: 'i-lucide-archive', page: 'settings' },
  { to: '/team/invitations', text: 'invitations', icon: 'i-lucide-mail', page: 'team', roles: MANAGERS },
  { to: '/team/sign-in', text: 'signIn', icon: 'i-lucide-key-round', page: 'team', roles: MANAGERS },
  { to: '/team/roles', text: 'roles', icon: 'i-lucide-users', page: 'team', roles: MANAGERS },
  { to: '/team/vault', text: 'vault', icon: 'i-lucide-lock', page: 'team', roles: MANAGERS },
  { to: '/team/apps', text: 'orgApps', icon: 'i-lucide-arrow-right-left', page: 'team', roles: MANAGERS },
  { to: '/team/danger', text: 'danger', icon: 'i-lucide-triangle-alert', page: 'team' },
]
