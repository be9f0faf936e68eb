/** The icon of every family of events and of every severity; the compiler asks for those of new families. */

import type { EventIcon } from '@gatehouse/contract/audit/event-families';
import type { Severity } from '@gatehouse/contract/events/define-event';
import type { IconComponent } from '@gatehouse/design/icon';
import AppWindow from 'lucide-react/icons/app-window';
import CirclePlay from 'lucide-react/icons/circle-play';
import CircleQuestionMark from 'lucide-react/icons/circle-question-mark';
import CircleX from 'lucide-react/icons/circle-x';
import Database from 'lucide-react/icons/database';
import Fingerprint from 'lucide-react/icons/fingerprint-pattern';
import Folder from 'lucide-react/icons/folder';
import Hand from 'lucide-react/icons/hand';
import IdCard from 'lucide-react/icons/id-card';
import Info from 'lucide-react/icons/info';
import Laptop from 'lucide-react/icons/laptop';
import Lock from 'lucide-react/icons/lock';
import LogIn from 'lucide-react/icons/log-in';
import Monitor from 'lucide-react/icons/monitor';
import Plug from 'lucide-react/icons/plug';
import Radar from 'lucide-react/icons/radar';
import ScrollText from 'lucide-react/icons/scroll-text';
import Server from 'lucide-react/icons/server';
import Settings from 'lucide-react/icons/settings';
import Share2 from 'lucide-react/icons/share-2';
import ShieldCheck from 'lucide-react/icons/shield-check';
import ShipWheel from 'lucide-react/icons/ship-wheel';
import SquareTerminal from 'lucide-react/icons/square-terminal';
import Terminal from 'lucide-react/icons/terminal';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import Users from 'lucide-react/icons/users';
import Wallet from 'lucide-react/icons/wallet';

export const EVENT_ICONS: Record<EventIcon, IconComponent> = {
  'log-in': LogIn,
  'fingerprint-pattern': Fingerprint,
  users: Users,
  'shield-check': ShieldCheck,
  lock: Lock,
  hand: Hand,
  plug: Plug,
  'id-card': IdCard,
  'square-terminal': SquareTerminal,
  'circle-play': CirclePlay,
  terminal: Terminal,
  folder: Folder,
  server: Server,
  'app-window': AppWindow,
  'ship-wheel': ShipWheel,
  database: Database,
  monitor: Monitor,
  laptop: Laptop,
  'share-2': Share2,
  radar: Radar,
  wallet: Wallet,
  'scroll-text': ScrollText,
  settings: Settings,
  'circle-question-mark': CircleQuestionMark,
};

export const SEVERITY_ICONS: Record<Severity, IconComponent> = {
  info: Info,
  warning: TriangleAlert,
  error: CircleX,
};
