/** Windows desktops in the console. */
import { desktopKind as facts } from '@gatehouse/contract/kinds/desktop/desktop-kind';
import Monitor from 'lucide-react/icons/monitor';
import { fetchCode } from '../../platform/code/fetch-code.ts';
import type { ConsoleKind } from '../../shared/kinds/console-kind.ts';
import { useLaterCount } from '../../shared/resource-list/resource-queries.ts';
import { desktopScreen } from './desktop-screen.ts';

const fetchDesktops = () => fetchCode(() => import('./desktop-queries.ts')).then((file) => file.DESKTOPS);

export const desktopKind: ConsoleKind<'desktop'> = {
  screen: desktopScreen,
  icon: Monitor,
  label: 'shell.desktops',
  flow: null,
  key: 'w',
  useCount: (clusterId) => useLaterCount(facts.path, fetchDesktops, clusterId),
  hasTerminals: false,
  joinPage: 'desktop',
  foundBy: 'search',
  role: {
    title: 'roles.section-desktops',
    labels: 'roles.desktop-labels',
    names: { windows_desktop_logins: 'roles.desktop-logins' },
    never: null,
    switches: [
      { option: 'desktop_clipboard', label: 'roles.clipboard', standard: true },
      { option: 'desktop_directory_sharing', label: 'roles.directories', standard: true },
    ],
  },
  palette: () => fetchCode(() => import('./connect/palette-desktops.ts')).then((file) => file.desktopPalette),
};
