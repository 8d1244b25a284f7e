/** The text of a permission: `permissions.<name>` of a catalog, with hyphens for colons, or that of its declaration. */
export function permissionText(
  name: string,
  declared: string,
  { t, has }: Record<'t', (key: string) => string> & Record<'has', (key: string) => boolean>,
): string {
  const key = `permissions.${name.replaceAll(':', '-')}`
  return has(key) ? t(key) : declared
}
