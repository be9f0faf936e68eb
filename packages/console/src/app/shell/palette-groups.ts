/** What the palette has of its own, without asking anybody: screens, clusters and everything that can be done. */
import { pagePath } from '@gatehouse/contract/console/pages';
import type { PaletteGroup, PaletteItem } from '@gatehouse/design/palette-groups';
import { useTheme } from '@gatehouse/design/theme';
import CirclePlay from 'lucide-react/icons/circle-play';
import Keyboard from 'lucide-react/icons/keyboard';
import Lock from 'lucide-react/icons/lock';
import LogOut from 'lucide-react/icons/log-out';
import Network from 'lucide-react/icons/network';
import ScrollText from 'lucide-react/icons/scroll-text';
import ShieldQuestion from 'lucide-react/icons/shield-question-mark';
import { useShellActions, type WhyAbout } from '../../platform/browser/shell-actions.tsx';
import { useTranslate, type WordId } from '../../platform/i18n/words.ts';
import { useFollow } from '../../platform/routing/routing.tsx';
import { useOwnUser, useUser, useUserOf } from '../../platform/sign-in/user.ts';
import { useClusters, useSwitchCluster } from '../../shared/clusters/cluster-queries.ts';
import type { PaletteAction } from '../../shared/palette/palette-action.ts';
import { isOfCluster } from '../navigation.ts';
import { useThemeOptions } from '../theme-options.ts';
import { PALETTE_ACTIONS } from './palette-actions.ts';
import { useEntries } from './use-entries.ts';

const THEME_WORDS = {
  dark: 'shell.theme-dark',
  light: 'shell.theme-light',
  system: 'shell.theme-system',
} as const satisfies Record<string, WordId>;

export function useScreens(): PaletteGroup {
  const t = useTranslate();
  const follow = useFollow();
  const items = (useEntries() ?? []).map(
    (entry): PaletteItem => ({
      id: `screen:${entry.page}`,
      title: t(entry.label),
      icon: entry.icon,
      enter: t('palette.go'),
      onSelect: () => follow(entry.path),
    }),
  );
  return { id: 'screens', title: t('palette.screens'), items };
}

export function useOtherClusters(clusterId: string): PaletteGroup {
  const t = useTranslate();
  const switchTo = useSwitchCluster();
  const others = (useClusters().data ?? []).filter(({ name }) => name !== clusterId);
  const items = others.map(
    ({ name }): PaletteItem => ({
      id: `cluster:${name}`,
      title: name,
      icon: Network,
      enter: t('palette.go'),
      onSelect: () => switchTo(name),
    }),
  );
  return { id: 'clusters', title: t('palette.clusters'), items };
}

/** What has a place of its own in the console, for those who may. */
export function usePlacedActions(clusterId: string, ofKinds: readonly PaletteAction[]): PaletteItem[] {
  const t = useTranslate();
  const follow = useFollow();
  const own = useOwnUser();
  const there = useUserOf(clusterId);
  const { mayOpen } = useShellActions();
  const all = [...ofKinds, ...PALETTE_ACTIONS];
  return all
    .filter(({ page, may }) => {
      const user = isOfCluster(page) ? there : own;
      return mayOpen(page) && may(user.userAcl, user);
    })
    .map((action) => ({
      id: `do:${action.id}`,
      title: t(action.word),
      keywords: t(action.also),
      icon: action.icon,
      enter: t('palette.do'),
      onSelect: () => follow(`${pagePath(action.page, { clusterId })}${textsOf(action.texts)}`),
    }));
}

/** What is done at once, wherever one is. Never among the recent ones: Enter on an open palette must not sign anybody out. */
export function useActionsHere(): PaletteItem[] {
  const t = useTranslate();
  const { signOut, showKeys, askWhy } = useShellActions();
  const [theme, setTheme] = useTheme();
  const enter = t('palette.do');
  const themes = useThemeOptions()
    .filter(({ value }) => value !== theme)
    .map(
      ({ value, icon }): PaletteItem => ({
        id: `theme-${value}`,
        title: t(THEME_WORDS[value]),
        icon,
        enter,
        onSelect: () => setTheme(value),
      }),
    );
  return [
    { id: 'why', title: t('palette.why'), icon: ShieldQuestion, enter, onSelect: () => askWhy() },
    ...themes,
    { id: 'keys', title: t('palette.keys'), icon: Keyboard, hint: '?', enter, onSelect: showKeys },
    { id: 'sign-out', title: t('shell.sign-out'), icon: LogOut, enter, onSelect: signOut },
  ];
}

interface PaletteQuery {
  clusterId: string;
  text: string;
  resource: WhyAbout['resource'] | undefined;
  user: string | undefined;
}

/** What can be done with the words that were typed, and with the first of what they found. */
export function useActionsWith({ clusterId, text, resource, user }: PaletteQuery): PaletteItem[] {
  const t = useTranslate();
  const follow = useFollow();
  const own = useOwnUser();
  const there = useUser();
  const { askWhy, mayOpen } = useShellActions();
  if (text === '') return [];
  const query = encodeURIComponent(text);
  const given = { always: true, enter: t('palette.do') };
  const items: (PaletteItem | false)[] = [
    resource !== undefined &&
      there.userAcl.users.list && {
        ...given,
        id: 'who',
        title: t('palette.who', { resource: resource.name }),
        icon: ShieldQuestion,
        onSelect: () => askWhy({ resource, who: true }),
      },
    user !== undefined &&
      mayOpen('locks') &&
      own.userAcl.locks.create && {
        ...given,
        id: 'lock-user',
        title: t('palette.lock', { user }),
        icon: Lock,
        onSelect: () => follow(`${pagePath('locks')}?do=new&user=${encodeURIComponent(user)}`),
      },
    mayOpen('audit') && {
      ...given,
      id: 'events',
      title: t('palette.events', { query: text }),
      icon: ScrollText,
      onSelect: () => follow(`${pagePath('audit', { clusterId })}?search=${query}`),
    },
    mayOpen('recordings') && {
      ...given,
      id: 'seen',
      title: t('palette.seen', { query: text }),
      icon: CirclePlay,
      onSelect: () => follow(`${pagePath('recordings', { clusterId })}?in=screen&search=${query}`),
    },
  ];
  return items.filter((item) => item !== false);
}

function textsOf(texts: Readonly<Record<string, string>> | undefined): string {
  return texts ? `?${new URLSearchParams(texts)}` : '';
}
