/** The command palette: anything somebody may see, any screen, any cluster, any action, by a few letters. */
import type { Kind } from '@gatehouse/contract/kinds/kinds';
import { CommandPalette } from '@gatehouse/design/command-palette';
import type { PaletteGroup, PaletteItem } from '@gatehouse/design/palette-groups';
import { useState } from 'react';
import { usePaletteRecordings } from '../../evidence/recordings/palette-recordings.ts';
import { usePaletteConnectors } from '../../identity/connectors/palette-connectors.ts';
import { usePaletteRoles } from '../../identity/roles/palette-roles.ts';
import { usePaletteUsers } from '../../identity/users/palette-users.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useOwnUser } from '../../platform/sign-in/user.ts';
import { usePaletteSessions } from '../../sessions/live/palette-sessions.ts';
import type { KindPalette } from '../../shared/palette/kind-palette.ts';
import { usePaletteSource } from '../../shared/palette/palette-source.ts';
import { RECENT_SHOWN, type RecentChoice, useRecentChoices } from '../../shared/palette/recent-choices.ts';
import { useDebounced } from '../../shared/resource-list/use-debounced.ts';
import { useActionsHere, useActionsWith, useOtherClusters, usePlacedActions, useScreens } from './palette-groups.ts';
import { useClusterId } from './use-cluster-id.ts';

/** One pause for all kinds: a word typed at a usual pace is one question to each. */
const TYPING_MS = 200;

interface PaletteProps {
  open: boolean;
  onClose: () => void;
  /** Of the kinds whose things can be found. */
  kinds: readonly KindOfPalette[];
}

export interface KindOfPalette extends KindPalette {
  kind: Kind;
}

export function Palette({ open, onClose, kinds }: PaletteProps) {
  const t = useTranslate();
  const [query, setQuery] = useState('');
  const clusterId = useClusterId();
  const { userAcl } = useOwnUser();
  const { only, text } = readQuery(query, userAcl.users.list);
  const { groups, isBusy, remember } = useGroups({ clusterId, kinds, open, only, text });
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
      match={text}
      onQueryChange={setQuery}
      groups={groups.map((group) => ({ ...group, items: group.items.map((item) => remembered(item, remember)) }))}
      busy={isBusy}
      bestTitle={t('palette.best')}
      empty={only === 'people' && text === '' ? t('palette.name') : t('palette.empty', { query })}
      keys={[
        { keys: ['↑', '↓'], word: t('palette.move') },
        { keys: ['↵'], word: t('palette.take') },
      ]}
      endKeys={[
        { keys: ['>'], word: t('palette.only-actions') },
        ...(userAcl.users.list ? [{ keys: ['@'], word: t('palette.only-people') }] : []),
        { keys: ['Esc'], word: t('palette.close') },
      ]}
    />
  );
}

type Only = 'actions' | 'people' | undefined;

/** `>` in front means what can be done, `@` people. */
export function readQuery(query: string, knowsPeople: boolean): { only: Only; text: string } {
  const [, sign, rest = ''] = /^\s*([>@])(.*)$/s.exec(query) ?? [];
  if (sign === '>') return { only: 'actions', text: rest.trim() };
  if (sign === '@' && knowsPeople) return { only: 'people', text: rest.trim() };
  return { only: undefined, text: query.trim() };
}

interface GroupsQuery extends Pick<PaletteProps, 'open' | 'kinds'> {
  clusterId: string;
  only: Only;
  text: string;
}

function useGroups({ clusterId, kinds, open, only, text }: GroupsQuery) {
  const t = useTranslate();
  const [choices, remember] = useRecentChoices();
  const rested = useDebounced(text, TYPING_MS);
  // What is cleared is over at once.
  const asked = text === '' ? '' : rested;
  const all = only === undefined ? asked : '';
  const isAtRest = open && text === '' && only === undefined;
  const recent: readonly RecentChoice[] = isAtRest ? choices.slice(0, RECENT_SHOWN) : text === '' ? [] : choices;

  // biome-ignore lint/correctness/useHookAtTopLevel: the kinds are the same each time
  const resources = kinds.map((each) => ({ ...each, found: each.useFound({ clusterId, query: all, recent }) }));
  const users = usePaletteSource(usePaletteUsers(only === 'people' ? asked : all), recent);
  const roles = usePaletteSource(usePaletteRoles(all), recent);
  const connectors = usePaletteSource(usePaletteConnectors(all), recent);
  const sessions = usePaletteSource(usePaletteSessions(clusterId, all), recent);
  const recordings = usePaletteSource(usePaletteRecordings(clusterId, all), recent);
  const found = [...resources.map((each) => each.found), users, roles, connectors, sessions, recordings];

  const screens = useScreens();
  const clusters = useOtherClusters(clusterId);
  const placed = usePlacedActions(
    clusterId,
    kinds.flatMap(({ actions }) => actions),
  );
  const here = useActionsHere();
  const [user] = users.group.items;
  const withWords = useActionsWith({
    clusterId,
    text: only === undefined ? text : '',
    resource: resources.flatMap(({ kind, tellsWho, found: { group } }) => {
      const [first] = tellsWho ? group.items : [];
      return first ? [{ kind, id: first.id.slice(group.id.length + 1), name: first.title }] : [];
    })[0],
    user: user?.title,
  });
  const actions: PaletteGroup = {
    id: 'actions',
    title: t('palette.actions'),
    items: [...placed, ...withWords, ...here],
  };
  const known = [...found.flatMap((each) => each.recent), ...screens.items, ...placed];
  const recents: PaletteGroup = {
    id: 'recent',
    title: t('palette.recent'),
    items: isAtRest ? recent.flatMap(({ id }) => known.find((item) => item.id === id) ?? []) : [],
  };
  const isRecent = new Set(recents.items.map(({ id }) => id));
  const others = [...found.map(({ group }) => group), screens, clusters, actions].map((group) => ({
    ...group,
    items: group.items.filter(({ id }) => !isRecent.has(id)),
  }));
  const groups = only === 'actions' ? [actions] : only === 'people' ? [users.group] : [recents, ...others];
  return { groups, remember, isBusy: text !== rested || found.some(({ isBusy }) => isBusy) };
}

/** Things, screens and places have an id with a colon; what is done at once has none, and is not remembered. */
function remembered(item: PaletteItem, remember: (id: string) => void): PaletteItem {
  if (!item.id.includes(':')) return item;
  return {
    ...item,
    onSelect: (how) => {
      remember(item.id);
      item.onSelect(how);
    },
  };
}
