/** Recordings in the command palette: by who was in them and where, the newest first. */
import { pagePath } from '@gatehouse/contract/pages';
import { type Recording, recordingRoutes } from '@gatehouse/contract/recordings/recordings';
import { useFollow } from '../address/address.tsx';
import { ASKED, type PaletteSource } from '../palette/palette-source.ts';
import { useUser } from '../sign-in/user.ts';
import { isoOf } from '../time-range/range-address.ts';
import { formatDuration, formatRelative } from '../words/formats.ts';
import { useWords } from '../words/words.ts';
import { useApi } from '../world/use-api.ts';
import { useWorld } from '../world/world.tsx';
import { playerPath } from './player-path.ts';
import { kindIcon, mayPlay } from './recording-facts.ts';
import { RECORDINGS } from './recording-queries.ts';

/** Older ones are looked for on their own screen. */
const LOOKED_BACK_MS = 90 * 86_400_000;

export function usePaletteRecordings(clusterId: string, query: string): PaletteSource<Recording> {
  const t = useWords();
  const api = useApi();
  const { now } = useWorld();
  const follow = useFollow();
  const { userAcl } = useUser();
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
        title: t('shell.palette-session', { user: recording.owner, resource: recording.resource.name }),
        icon: kindIcon(recording.kind),
        detail: [recording.login, formatDuration(recording.durationMs)].filter(Boolean).join(', '),
        hint: formatRelative(Date.parse(recording.started), now()),
        enter: isPlayed ? t('shell.palette-play') : t('shell.palette-show'),
        onSelect: (how) => follow(isPlayed && how === 'plain' ? playerPath(clusterId, recording) : list),
      };
    },
  };
}
