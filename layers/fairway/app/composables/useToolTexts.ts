import type { ActionField } from '../tools/action-form'
import type { CatalogTool } from '#fairway/shared/schemas/tool-catalog'
import { permissionText } from '../tools/permission-text'
import { actionTitle, toWords } from '../tools/action-title'
import { listOf } from '../utils/words'

/** Texts about actions: their titles in words, and who may call them. Requires the texts of `palette` and of `tools`. */
export function useToolTexts() {
  const { t, te } = useI18n()
  const { language } = useLanguage()
  const list = (words: readonly string[], type: 'conjunction' | 'disjunction') => listOf(words, language.value, type)

  const has = (key: string) => te(key) || te(key, 'en')
  const titleOf = ({ name }: Pick<CatalogTool, 'name'>): string => actionTitle(name, { t, has })

  const firstOf = (keys: readonly string[]): string | undefined => {
    const key = keys.find(has)
    return key === undefined ? undefined : t(key)
  }

  /**
   * The label of a field: `actionFields.<action>-<field>`, that of the collection that it picks from, or `actionFields.<field>`.
   * Otherwise its name in words.
   */
  function labelOf(tool: string, { name, pick }: Pick<ActionField, 'name' | 'pick'>): string {
    const keys = [`${tool}-${name}`, ...(pick ? [pick.collection] : []), name]
    return firstOf(keys.map(key => `actionFields.${key}`)) ?? toWords(name)
  }

  /** The label of an option: `actionValues.<action>-<field>-<value>` or `actionValues.<field>-<value>`, else the value. */
  const valueOf = (tool: string, field: string, value: string): string =>
    firstOf([`actionValues.${tool}-${field}-${value}`, `actionValues.${field}-${value}`]) ?? value

  /** One sentence, derived from the declaration. */
  function callersText({ kind, roles = [], appRoles = [], permissions = [], text }: CatalogTool['callers']): string {
    if (kind === 'guard' && text) return text
    if (kind === 'permissions') return permissionsText({ roles, appRoles, permissions })
    const names = roles.map(role =>
      te(`tools.roles.${role}`, 'en') && kind !== 'app-roles' ? t(`tools.roles.${role}`) : role,
    )
    return t(`tools.callers.${kind}`, {
      roles: list(names, kind === 'app-roles' ? 'disjunction' : 'conjunction'),
      appRoles: list(appRoles, 'disjunction'),
    })
  }

  /** The permissions that are required, then the roles that are required too. */
  function permissionsText({
    roles = [],
    appRoles = [],
    permissions = [],
  }: Omit<CatalogTool['callers'], 'kind'>): string {
    const names = permissions.map(({ name, text }) => permissionText(name, text, { t, has }))
    return [
      t('tools.callers.permissions', { permissions: list(names, 'conjunction') }),
      ...(roles.length > 0 ? [callersText({ kind: 'org-roles', roles })] : []),
      ...(appRoles.length > 0 ? [callersText({ kind: 'app-roles', roles: appRoles })] : []),
    ].join(' ')
  }

  return { titleOf, labelOf, valueOf, callersText }
}
