/** What the console can do that has a place of its own, beside what each kind of resource adds: the palette offers all of it to those who may. */

import BadgeCheck from 'lucide-react/icons/badge-check';
import Fingerprint from 'lucide-react/icons/fingerprint-pattern';
import Key from 'lucide-react/icons/key-round';
import Lock from 'lucide-react/icons/lock';
import Mail from 'lucide-react/icons/mail';
import ShieldAlert from 'lucide-react/icons/shield-alert';
import ShieldPlus from 'lucide-react/icons/shield-plus';
import Ticket from 'lucide-react/icons/ticket';
import UserRoundPlus from 'lucide-react/icons/user-round-plus';
import VideoOff from 'lucide-react/icons/video-off';
import { hasPassword } from '../../platform/sign-in/user.ts';
import type { PaletteAction } from '../../shared/palette/palette-action.ts';

const always = () => true;
const ifPassword: PaletteAction['may'] = (_acl, who) => hasPassword(who);

export const PALETTE_ACTIONS: readonly PaletteAction[] = [
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
    id: 'new-connector',
    word: 'shell.do-new-connector',
    also: 'shell.do-new-connector-also',
    icon: Fingerprint,
    page: 'connectors',
    may: (acl) => acl.authConnectors.create,
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
    may: ifPassword,
  },
  {
    id: 'factors',
    word: 'shell.do-factors',
    also: 'shell.do-factors-also',
    icon: ShieldPlus,
    page: 'accountTwoFactor',
    may: always,
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
