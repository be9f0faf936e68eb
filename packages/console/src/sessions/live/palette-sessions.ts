/** Sessions under way in the command palette: by who is in them and where they are. */
import { pagePath } from '@gatehouse/contract/console/pages';
import { type ActiveSession, sessionRoutes } from '@gatehouse/contract/sessions/sessions';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { useShellActions } from '../../platform/browser/shell-actions.tsx';
import { useApi } from '../../platform/browser/use-api.ts';
import { formatRelative } from '../../platform/i18n/formats.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useFollow } from '../../platform/routing/routing.tsx';
import { useUserOf } from '../../platform/sign-in/user.ts';
import type { PaletteSource } from '../../shared/palette/palette-source.ts';
import { firstWay, fits, joinPath, peopleOf, sessionIcon } from './session-facts.ts';

export function usePaletteSessions(clusterId: string, query: string): PaletteSource<ActiveSession> {
  const t = useTranslate();
  const api = useApi();
  const { now } = useBrowser();
  const follow = useFollow();
  const { userName } = useUserOf(clusterId);
  const { mayOpen } = useShellActions();
  return {
    id: 'session',
    title: t('palette.live'),
    key: ['sessions', clusterId],
    // Everybody may ask for those of their own.
    mayAsk: true,
    search: query.trim(),
    find: async (_search, signal) => {
      const { sessions } = await api(sessionRoutes.list, { params: { clusterId } }, signal);
      return { rows: sessions, total: sessions.length };
    },
    narrow: (rows, search) =>
      rows
        .filter((session) => fits(session, search))
        .toSorted((a, b) => Number(b.owner === userName) - Number(a.owner === userName)),
    one: (sid, signal) => api(sessionRoutes.get, { params: { clusterId, sid } }, signal),
    item: (session) => {
      const isOwn = session.owner === userName;
      const way = firstWay(session, isOwn);
      const show = () => follow(`${pagePath('sessions', { clusterId })}?search=${encodeURIComponent(session.id)}`);
      const path = way && joinPath(session, clusterId, way, isOwn);
      const people = peopleOf(session).length;
      return {
        id: `session:${session.id}`,
        title: t('palette.session', { user: session.owner, resource: session.resource_name }),
        icon: sessionIcon(session),
        detail: [session.login, people > 1 ? t('palette.people', { count: people }) : ''].filter(Boolean).join(', '),
        hint: formatRelative(Date.parse(session.created), now()),
        enter: way ? t(`palette.join-${way}`) : t('palette.show'),
        onSelect: (how) => {
          if (path && (how === 'plain' || !mayOpen('sessions'))) return follow(path);
          if (mayOpen('sessions')) show();
        },
      };
    },
  };
}
