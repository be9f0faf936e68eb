/** How desktops are enrolled: Windows by its address or as its directory knows it, and whatever speaks VNC. */
import FolderTree from 'lucide-react/icons/folder-tree';
import Monitor from 'lucide-react/icons/monitor';
import ScreenShare from 'lucide-react/icons/screen-share';
import type { KindFlows } from '../../shared/enrolment/flow.ts';

const common = {
  group: 'discover.group-desktops',
  may: (acl) => acl.desktops.create,
} as const satisfies Partial<KindFlows['cards'][number]>;

export const desktopFlows: KindFlows = {
  cards: [
    {
      ...common,
      id: 'desktop',
      resource: 'DISCOVER_RESOURCE_WINDOWS_DESKTOP',
      title: 'discover.card-desktop',
      text: 'discover.card-desktop-text',
      also: 'discover.card-desktop-also',
      icon: Monitor,
    },
    {
      ...common,
      id: 'active-directory',
      resource: 'DISCOVER_RESOURCE_WINDOWS_DESKTOP',
      title: 'discover.card-directory',
      text: 'discover.card-directory-text',
      also: 'discover.card-directory-also',
      icon: FolderTree,
      may: (acl) => acl.tokens.create,
    },
    {
      ...common,
      id: 'vnc',
      resource: 'DISCOVER_RESOURCE_DESKTOP_VNC',
      title: 'discover.card-vnc',
      text: 'discover.card-vnc-text',
      also: 'discover.card-vnc-also',
      icon: ScreenShare,
      first: { draft: { protocol: 'vnc', known: 'later' } },
    },
  ],
  words: [
    'desktops',
    'add-desktop',
    'joining',
    'desktop-panel',
    'connection-steps',
    'resource-list',
    'way-there',
    'webauthn',
  ],
  load: () => import('./enrol/desktop-flow.tsx').then((file) => file.desktopFlow),
};
