import { type FunctionalComponent, h } from 'vue'

/**
 * An icon of the style sheet that the build generates (modules/icons), named `i-lucide-axe` or `lucide:axe`. Replaces Nuxt Icon's
 * component.
 */
const Icon: FunctionalComponent<{ name: string; size?: string | number }> = ({ name, size }) =>
  h('span', {
    class: ['iconify', `i-${name.replace(/^i-/, '').replace(':', '-')}`],
    style: size ? { fontSize: Number.isNaN(Number(size)) ? String(size) : `${size}px` } : undefined,
    'aria-hidden': true,
  })
Icon.props = ['name', 'size', 'mode', 'customize']

export default Icon
