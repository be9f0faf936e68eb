/** Everything the console can do that has a place of its own, with what it takes: the palette offers all of it to those who may. */

import type { Acl } from '@gatehouse/contract/access/acl';
import type { PageName } from '@gatehouse/contract/console/pages';
import type { IconComponent } from '@gatehouse/design/icon';
import AppWindow from 'lucide-react/icons/app-window';
import BadgeCheck from 'lucide-react/icons/badge-check';
import Key from 'lucide-react/icons/key-round';
import Lock from 'lucide-react/icons/lock';
import Mail from 'lucide-react/icons/mail';
import Server from 'lucide-react/icons/server';
import ShieldAlert from 'lucide-react/icons/shield-alert';
import ShieldPlus from 'lucide-react/icons/shield-plus';
import SquareTerminal from 'lucide-react/icons/square-terminal';
import Ticket from 'lucide-react/icons/ticket';
import Unplug from 'lucide-react/icons/unplug';
import UserRoundPlus from 'lucide-react/icons/user-round-plus';
import VideoOff from 'lucide-react/icons/video-off';
import type { WordId } from '../../platform/i18n/words.ts';

export interface PaletteAction {
  id: string;
  word: WordId;
  /** Other words people look for it by. */
  also: WordId;
  icon: IconComponent;
  page: PageName;
  /** What follows the question mark. */
  texts?: Readonly<Record<string, string>>;
  may: (acl: Acl, who: { authType: string }) => boolean;
}

const always = () => true;
const isLocal = (_acl: Acl, { authType }: { authType: string }) => authType === 'local';

export const PALETTE_ACTIONS: readonly PaletteAction[] = [
  {
    id: 'add-server',
    word: 'shell.do-add-server',
    also: 'shell.do-add-server-also',
    icon: Server,
    page: 'nodes',
    texts: { do: 'add' },
    may: (acl) => acl.tokens.create,
  },
  {
    id: 'open-terminal',
    word: 'shell.do-terminal',
    also: 'shell.do-terminal-also',
    icon: SquareTerminal,
    page: 'console',
    may: (acl) => acl.nodes.list,
  },
  {
    id: 'add-app',
    word: 'shell.do-add-app',
    also: 'shell.do-add-app-also',
    icon: AppWindow,
    page: 'apps',
    texts: { do: 'add' },
    may: (acl) => acl.appServers.create || acl.tokens.create,
  },
  {
    id: 'new-user',
    word: 'shell.do-new-user',
    also: 'shell.do-new-user-also',
    icon: UserRoundPlus,
    page: 'users',
    texts: { do: 'new' },
    may: (acl) => acl.users.create,
  },
  {
    id: 'new-role',
    word: 'shell.do-new-role',
    also: 'shell.do-new-role-also',
    icon: ShieldPlus,
    page: 'roles',
    texts: { do: 'new' },
    may: (acl) => acl.roles.create,
  },
  {
    id: 'new-lock',
    word: 'shell.do-new-lock',
    also: 'shell.do-new-lock-also',
    icon: Lock,
    page: 'locks',
    texts: { do: 'new' },
    may: (acl) => acl.locks.create,
  },
  {
    id: 'verify-log',
    word: 'shell.do-verify',
    also: 'shell.do-verify-also',
    icon: BadgeCheck,
    page: 'audit',
    texts: { do: 'verify' },
    may: always,
  },
  {
    id: 'without-factor',
    word: 'shell.do-without-factor',
    also: 'shell.do-without-factor-also',
    icon: ShieldAlert,
    page: 'users',
    texts: { factor: 'none' },
    may: always,
  },
  {
    id: 'invited',
    word: 'shell.do-invited',
    also: 'shell.do-invited-also',
    icon: Mail,
    page: 'users',
    texts: { state: 'invited' },
    may: always,
  },
  {
    id: 'unreachable',
    word: 'shell.do-unreachable',
    also: 'shell.do-unreachable-also',
    icon: Unplug,
    page: 'nodes',
    texts: { status: 'unreachable' },
    may: always,
  },
  {
    id: 'not-recorded',
    word: 'shell.do-gaps',
    also: 'shell.do-gaps-also',
    icon: VideoOff,
    page: 'recordings',
    texts: { gaps: 'open' },
    may: always,
  },
  {
    id: 'password',
    word: 'shell.do-password',
    also: 'shell.do-password-also',
    icon: Key,
    page: 'accountPassword',
    may: isLocal,
  },
  {
    id: 'factors',
    word: 'shell.do-factors',
    also: 'shell.do-factors-also',
    icon: ShieldPlus,
    page: 'accountTwoFactor',
    may: isLocal,
  },
  {
    id: 'token',
    word: 'shell.do-token',
    also: 'shell.do-token-also',
    icon: Ticket,
    page: 'account',
    texts: { do: 'token' },
    may: always,
  },
];
