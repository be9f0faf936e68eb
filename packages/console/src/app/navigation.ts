/** The navigation: one list, in the order of the specification, with what each entry needs. */

import type { FeatureFlag, FeatureFlags } from '@gatehouse/contract/access/acl';
import { PAGES, type PageName } from '@gatehouse/contract/console/pages';
import type { KindFlag, KindPage } from '@gatehouse/contract/kinds/kinds';
import type { IconComponent } from '@gatehouse/design/icon';
import CirclePlay from 'lucide-react/icons/circle-play';
import CirclePlus from 'lucide-react/icons/circle-plus';
import Fingerprint from 'lucide-react/icons/fingerprint-pattern';
import Handshake from 'lucide-react/icons/handshake';
import LifeBuoy from 'lucide-react/icons/life-buoy';
import Lock from 'lucide-react/icons/lock';
import Network from 'lucide-react/icons/network';
import ScrollText from 'lucide-react/icons/scroll-text';
import ShieldCheck from 'lucide-react/icons/shield-check';
import SlidersHorizontal from 'lucide-react/icons/sliders-horizontal';
import SquareTerminal from 'lucide-react/icons/square-terminal';
import UserRound from 'lucide-react/icons/user-round';
import Users from 'lucide-react/icons/users';
import { CONSOLE_KINDS } from '../kinds/kinds.ts';
import type { WordId } from '../platform/i18n/words.ts';
import { type KindRow, kindRows } from '../shared/kinds/kinds-context.tsx';
import { isBuilt } from './screens.ts';

/** Headings of the navigation; the top menu has none. */
export type Heading = 'resources' | 'management';
export type Category = Heading | 'top-menu';
export type Section = 'access' | 'activity' | 'clusters';

export interface NavigationEntry {
  page: PageName;
  label: WordId;
  icon: IconComponent;
  category: Category;
  section?: Section;
  /** Absent: always visible. */
  flag?: FeatureFlag;
  /** After `g`. */
  key: string;
  /** How many there are of what it leads to. */
  useCount?: (clusterId: string) => number | undefined;
}

const resource = { category: 'resources' } as const;
const access = { category: 'management', section: 'access' } as const;
const activity = { category: 'management', section: 'activity' } as const;
const clusters = { category: 'management', section: 'clusters' } as const;
const topMenu = { category: 'top-menu' } as const;

export const NAVIGATION: readonly NavigationEntry[] = [
  ...kindRows(CONSOLE_KINDS).map(kindEntry),
  { page: 'sessions', label: 'shell.sessions', icon: SquareTerminal, flag: 'activeSessions', key: 't', ...resource },
  { page: 'users', label: 'shell.users', icon: Users, flag: 'users', key: 'u', ...access },
  { page: 'roles', label: 'shell.roles', icon: ShieldCheck, flag: 'roles', key: 'r', ...access },
  { page: 'connectors', label: 'shell.connectors', icon: Fingerprint, flag: 'authConnector', key: 'c', ...access },
  { page: 'discover', label: 'shell.discover', icon: CirclePlus, flag: 'discover', key: 'n', ...access },
  // Ours, after those of the specification.
  { page: 'locks', label: 'shell.locks', icon: Lock, flag: 'locks', key: 'o', ...access },
  { page: 'recordings', label: 'shell.recordings', icon: CirclePlay, flag: 'recordings', key: 'p', ...activity },
  { page: 'audit', label: 'shell.audit', icon: ScrollText, flag: 'audit', key: 'l', ...activity },
  { page: 'clusters', label: 'shell.manage-clusters', icon: Network, flag: 'trustedClusters', key: 'm', ...clusters },
  {
    page: 'trustedClusters',
    label: 'shell.trusted-clusters',
    icon: Handshake,
    flag: 'trustedClusters',
    key: 'x',
    ...clusters,
  },
  { page: 'account', label: 'shell.account', icon: UserRound, key: 'i', ...topMenu },
  { page: 'support', label: 'shell.support', icon: LifeBuoy, key: 'h', ...topMenu },
  { page: 'settings', label: 'shell.settings', icon: SlidersHorizontal, key: 'e', ...topMenu },
];

function kindEntry({ facts, row: { label, icon, key, useCount } }: KindRow): NavigationEntry {
  // Both are the contract's own names: pages and flags are made of the kinds' rows.
  const { path: page, flag } = facts as { path: KindPage; flag: KindFlag };
  return { page, label, icon, flag, key, ...(useCount ? { useCount } : {}), ...resource };
}

/** What this user is shown: entries their flags allow and whose screen exists. */
export function visibleEntries(flags: FeatureFlags, built = isBuilt): NavigationEntry[] {
  return NAVIGATION.filter((entry) => isAllowed(entry, flags) && built(entry.page));
}

export interface NavigationGroup<Entry> {
  heading: Heading;
  sections: { section: Section | undefined; entries: Entry[] }[];
}

/** Entries under their headings, in order; the top menu stands elsewhere. Headings without an entry are left out. */
export function groupEntries<Entry extends NavigationEntry>(entries: readonly Entry[]): NavigationGroup<Entry>[] {
  const groups: NavigationGroup<Entry>[] = [];
  for (const entry of entries) {
    if (entry.category === 'top-menu') continue;
    let group = groups.at(-1);
    if (group?.heading !== entry.category) {
      group = { heading: entry.category, sections: [] };
      groups.push(group);
    }
    const last = group.sections.at(-1);
    if (last && last.section === entry.section) last.entries.push(entry);
    else group.sections.push({ section: entry.section, entries: [entry] });
  }
  return groups;
}

/** Pages that are parts of a screen: its entry is the current one there, and what it needs they need too. */
const PART_OF: Partial<Record<PageName, PageName>> = {
  newConnector: 'connectors',
  connector: 'connectors',
  accountPassword: 'account',
  accountTwoFactor: 'account',
};

/** Pages that are reached from a screen, and may be open to people who do not have it. */
const SHOWN_UNDER: Partial<Record<PageName, PageName>> = {
  player: 'recordings',
  workbench: 'databases',
  watchDb: 'sessions',
};

/** Whose entry is the current one. */
export function entryPage(page: PageName): PageName {
  return PART_OF[page] ?? SHOWN_UNDER[page] ?? page;
}

/** The flag a page needs and this user does not have. Pages without an entry decide for themselves. */
export function missingFlag(page: PageName, flags: FeatureFlags): FeatureFlag | undefined {
  const entry = NAVIGATION.find((each) => each.page === (PART_OF[page] ?? page));
  return entry && !isAllowed(entry, flags) ? entry.flag : undefined;
}

/** Pages that show one cluster are open to whom it lets see them, all others to whom this gateway does. */
export function flagsAt(own: FeatureFlags, there: FeatureFlags): FeatureFlags {
  const shown = { ...own };
  for (const { page, flag } of NAVIGATION) {
    if (flag && isOfCluster(page)) shown[flag] = there[flag];
  }
  return shown;
}

export function isManagement(page: PageName): boolean {
  return NAVIGATION.find((entry) => entry.page === entryPage(page))?.category === 'management';
}

export function isOfCluster(page: PageName): boolean {
  return PAGES[page].path.startsWith(PAGES.cluster.path);
}

/** Where the root leads: the first resource screen this user has, or else a page everybody has. */
export function startPage(flags: FeatureFlags, built = isBuilt): PageName {
  return visibleEntries(flags, built).find((entry) => entry.category === 'resources')?.page ?? 'support';
}

function isAllowed({ flag }: NavigationEntry, flags: FeatureFlags): boolean {
  return flag === undefined || flags[flag];
}
