import { readDeviceSetting, writeDeviceSetting } from '../utils/device-setting'

const SETTING = 'sidebar'
const FOLDED = 'icons'

/** Whether the sidebar is folded to its icons on this device; the page's head applies it before the first paint. */
export function useSidebar() {
  const isFolded = useState('sidebar-folded', () => import.meta.client && readDeviceSetting(SETTING) === FOLDED)

  function toggle(): void {
    isFolded.value = !isFolded.value
    writeDeviceSetting(SETTING, isFolded.value ? FOLDED : null)
    if (isFolded.value) document.documentElement.dataset.sidebar = FOLDED
    else delete document.documentElement.dataset.sidebar
  }

  return { isFolded, toggle }
}
