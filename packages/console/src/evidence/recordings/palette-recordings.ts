/** Recordings in the command palette: by who was in them and where, the newest first. */
import { pagePath } from '@gatehouse/contract/console/pages';
import { type Recording, recordingRoutes } from '@gatehouse/contract/recordings/recordings';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { useApi } from '../../platform/browser/use-api.ts';
import { formatDuration, formatRelative } from '../../platform/i18n/formats.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useFollow } from '../../platform/routing/routing.tsx';
import { useUserOf } from '../../platform/sign-in/user.ts';
import { ASKED, type PaletteSource } from '../../shared/palette/palette-source.ts';
import { isoOf } from '../../shared/time-range/range-search-params.ts';
import { playerPath } from './player-path.ts';
import { mayPlay, useKindIcon } from './recording-facts.ts';
import { RECORDINGS } from './recording-queries.ts';

/** Older ones are looked for on their own screen. */
const LOOKED_BACK_MS = 90 * 86_400_000;

export function usePaletteRecordings(clusterId: string, query: string): PaletteSource<Recording> {
  const t = useTranslate();
  const api = useApi();
  const { now } = useBrowser();
  const follow = useFollow();
  const { userAcl } = useUserOf(clusterId);
  const kindIcon = useKindIcon();
  return {
    id: 'recording',
    title: t('shell.recordings'),
    key: [RECORDINGS, 'found', clusterId],
    mayAsk: userAcl.recordedSessions.list,
    search: query.trim(),
    find: async (search, signal) => {
      const asked = { from: isoOf(now() - LOOKED_BACK_MS), to: isoOf(now()), search, limit: String(ASKED) };
      const { recordings } = await api(recordingRoutes.list, { params: { clusterId }, query: asked }, signal);
      const rows = recordings.filter(({ state }) => state !== 'live');
      return { rows, total: 0 };
    },
    one: (sid, signal) => api(recordingRoutes.get, { params: { clusterId, sid } }, signal),
    item: (recording) => {
      const isPlayed = mayPlay(recording);
      const list = `${pagePath('recordings', { clusterId })}?range=90d&search=${encodeURIComponent(recording.sid)}`;
      return {
        id: `recording:${recording.sid}`,
        title: t('palette.session', { user: recording.owner, resource: recording.resource.name }),
        icon: kindIcon(recording.kind),
        detail: [recording.login, formatDuration(recording.durationMs)].filter(Boolean).join(', '),
        hint: formatRelative(Date.parse(recording.started), now()),
        enter: isPlayed ? t('palette.play') : t('palette.show'),
        onSelect: (how) => follow(isPlayed && how === 'plain' ? playerPath(clusterId, recording) : list),
      };
    },
  };
}
