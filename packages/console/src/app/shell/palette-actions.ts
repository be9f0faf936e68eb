/** What the console can do that has a place of its own, beside what each kind of resource adds: the palette offers all of it to those who may. */

import BadgeCheck from 'lucide-react/icons/badge-check';
import Fingerprint from 'lucide-react/icons/fingerprint-pattern';
import Handshake from 'lucide-react/icons/handshake';
import Key from 'lucide-react/icons/key-round';
import Lock from 'lucide-react/icons/lock';
import Mail from 'lucide-react/icons/mail';
import Network from 'lucide-react/icons/network';
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
    word: 'palette.do-new-user',
    also: 'palette.do-new-user-also',
    icon: UserRoundPlus,
    page: 'users',
    texts: { do: 'new' },
    may: (acl) => acl.users.create,
  },
  {
    id: 'new-role',
    word: 'palette.do-new-role',
    also: 'palette.do-new-role-also',
    icon: ShieldPlus,
    page: 'roles',
    texts: { do: 'new' },
    may: (acl) => acl.roles.create,
  },
  {
    id: 'new-connector',
    word: 'palette.do-new-connector',
    also: 'palette.do-new-connector-also',
    icon: Fingerprint,
    page: 'connectors',
    may: (acl) => acl.authConnectors.create,
  },
  {
    id: 'new-lock',
    word: 'palette.do-new-lock',
    also: 'palette.do-new-lock-also',
    icon: Lock,
    page: 'locks',
    texts: { do: 'new' },
    may: (acl) => acl.locks.create,
  },
  {
    id: 'let-join',
    word: 'palette.do-let-join',
    also: 'palette.do-let-join-also',
    icon: Network,
    page: 'clusters',
    texts: { do: 'join' },
    may: (acl) => acl.trustedClusters.create,
  },
  {
    id: 'join-root',
    word: 'palette.do-join-root',
    also: 'palette.do-join-root-also',
    icon: Handshake,
    page: 'trustedClusters',
    texts: { do: 'join' },
    may: (acl) => acl.trustedClusters.create,
  },
  {
    id: 'verify-log',
    word: 'palette.do-verify',
    also: 'palette.do-verify-also',
    icon: BadgeCheck,
    page: 'audit',
    texts: { do: 'verify' },
    may: always,
  },
  {
    id: 'without-factor',
    word: 'palette.do-without-factor',
    also: 'palette.do-without-factor-also',
    icon: ShieldAlert,
    page: 'users',
    texts: { factor: 'none' },
    may: always,
  },
  {
    id: 'invited',
    word: 'palette.do-invited',
    also: 'palette.do-invited-also',
    icon: Mail,
    page: 'users',
    texts: { state: 'invited' },
    may: always,
  },
  {
    id: 'not-recorded',
    word: 'palette.do-gaps',
    also: 'palette.do-gaps-also',
    icon: VideoOff,
    page: 'recordings',
    texts: { gaps: 'open' },
    may: always,
  },
  {
    id: 'password',
    word: 'palette.do-password',
    also: 'palette.do-password-also',
    icon: Key,
    page: 'accountPassword',
    may: ifPassword,
  },
  {
    id: 'factors',
    word: 'palette.do-factors',
    also: 'palette.do-factors-also',
    icon: ShieldPlus,
    page: 'accountTwoFactor',
    may: always,
  },
  {
    id: 'token',
    word: 'palette.do-token',
    also: 'palette.do-token-also',
    icon: Ticket,
    page: 'account',
    texts: { do: 'token' },
    may: always,
  },
];
