/** The command palette: any server or application, any screen, any cluster, any action, by a few letters. */
import { CommandPalette, type CommandPaletteProps } from '@gatehouse/design/command-palette';
import { useTheme } from '@gatehouse/design/theme';
import Keyboard from 'lucide-react/icons/keyboard';
import LogOut from 'lucide-react/icons/log-out';
import Network from 'lucide-react/icons/network';
import ShieldQuestion from 'lucide-react/icons/shield-question-mark';
import { useState } from 'react';
import { useFollow } from '../../address/address.tsx';
import { usePaletteApps } from '../../apps/open/palette-apps.ts';
import { usePaletteServers } from '../../servers/connect/palette-servers.ts';
import { useWords, type WordId } from '../../words/words.ts';
import { useShellActions } from '../../world/shell-actions.tsx';
import { useThemeOptions } from '../../world/theme-options.ts';
import { useClusters, useSwitchCluster } from './cluster-picker.tsx';
import { useClusterId } from './use-cluster-id.ts';
import { useEntries } from './use-entries.ts';

type Group = CommandPaletteProps['groups'][number];
type Item = Group['items'][number];

const THEME_WORDS = {
  dark: 'shell.theme-dark',
  light: 'shell.theme-light',
  system: 'shell.theme-system',
} as const satisfies Record<string, WordId>;

interface PaletteProps {
  open: boolean;
  onClose: () => void;
}

export function Palette({ open, onClose }: PaletteProps) {
  const t = useWords();
  const [query, setQuery] = useState('');
  const clusterId = useClusterId();
  const servers = usePaletteServers(clusterId, query);
  const apps = usePaletteApps(clusterId, query);
  const groups = [servers.group, apps.group, useScreens(), useOtherClusters(clusterId), useActions()];
  return (
    <CommandPalette
      open={open}
      onOpenChange={(isOpen) => {
        if (isOpen) return;
        setQuery('');
        onClose();
      }}
      label={t('shell.search')}
      scope={clusterId}
      query={query}
      onQueryChange={setQuery}
      groups={groups}
      busy={servers.isBusy || apps.isBusy}
      bestTitle={t('shell.palette-best')}
      empty={t('shell.palette-empty', { query })}
      keys={[
        { keys: ['↑', '↓'], word: t('shell.palette-move') },
        { keys: ['↵'], word: t('shell.palette-take') },
      ]}
      endKeys={[{ keys: ['Esc'], word: t('shell.palette-close') }]}
    />
  );
}

function useScreens(): Group {
  const t = useWords();
  const follow = useFollow();
  const items = (useEntries() ?? []).map(
    (entry): Item => ({
      id: entry.page,
      title: t(entry.label),
      icon: entry.icon,
      enter: t('shell.palette-go'),
      onSelect: () => follow(entry.path),
    }),
  );
  return { id: 'screens', title: t('shell.palette-screens'), items };
}

function useOtherClusters(clusterId: string): Group {
  const t = useWords();
  const switchTo = useSwitchCluster();
  const others = (useClusters().data ?? []).filter(({ name }) => name !== clusterId);
  const items = others.map(
    ({ name }): Item => ({
      id: `cluster-${name}`,
      title: name,
      icon: Network,
      enter: t('shell.palette-go'),
      onSelect: () => switchTo(name),
    }),
  );
  return { id: 'clusters', title: t('shell.palette-clusters'), items };
}

function useActions(): Group {
  const t = useWords();
  const { signOut, showKeys, askWhy } = useShellActions();
  const [theme, setTheme] = useTheme();
  const enter = t('shell.palette-do');
  const themes = useThemeOptions()
    .filter(({ value }) => value !== theme)
    .map(
      ({ value, icon }): Item => ({
        id: `theme-${value}`,
        title: t(THEME_WORDS[value]),
        icon,
        enter,
        onSelect: () => setTheme(value),
      }),
    );
  const items: Item[] = [
    ...themes,
    { id: 'why', title: t('shell.palette-why'), icon: ShieldQuestion, enter, onSelect: () => askWhy() },
    { id: 'keys', title: t('shell.palette-keys'), icon: Keyboard, hint: '?', enter, onSelect: showKeys },
    { id: 'sign-out', title: t('shell.sign-out'), icon: LogOut, enter, onSelect: signOut },
  ];
  return { id: 'actions', title: t('shell.palette-actions'), items };
}
