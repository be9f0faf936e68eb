/** Recordings as they are read: indexed in the background, listed, searched and played. */

import type { AccessControl } from '../../access/create-access.ts';
import type { Sockets } from '../../identity/sockets/sockets.ts';
import type { ChangeFeed } from '../../platform/change-feed/change-feed.ts';
import type { FeatureHandlers } from '../../platform/http/bind-api.ts';
import type { Log } from '../../platform/std/log.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { createDesktopDecoder } from '../../sessions/desktop/decoder/desktop-decoder.ts';
import { compatHandlers } from './compat/compat-handlers.ts';
import { serveDesktopPlayback } from './compat/desktop-playback-socket.ts';
import { createIndexer, type Indexer } from './index/create-indexer.ts';
import { createIndexCache } from './index/index-cache.ts';
import type { OutputRate } from './output-rate.ts';
import { recordingHandlers } from './playback/recording-handlers.ts';
import { createRecordingStates } from './playback/recording-status.ts';
import { createScreens } from './playback/screens.ts';
import type { PlaybackAudit } from './playback-audit.ts';
import { createShots } from './shots/create-shots.ts';
import type { RecordingStore } from './stores/recording-store.ts';

export interface PlaybackDeps {
  db: Db;
  store: RecordingStore;
  /** Names the gateway whose folder it is. */
  place: string;
  hasBucket: boolean;
  outputRate: Pick<OutputRate, 'over'>;
  /** PEM: what recordings are signed with. */
  keys: readonly string[];
  access: AccessControl;
  openings: PlaybackAudit;
  feed: Pick<ChangeFeed, 'subscribe'>;
  clusterName: string;
  log: Log;
  now: () => number;
}

export interface RecordingPlayback {
  handlers: FeatureHandlers<'recordings' | 'referencePlayback'>;
  indexer: Indexer;
  /** Call it before the application is ready. */
  serve(sockets: Sockets): void;
  close(): Promise<void>;
}

export function openPlayback(deps: PlaybackDeps): RecordingPlayback {
  const { store } = deps;
  const cache = createIndexCache(store);
  const indexer = createIndexer({ ...deps, cache });
  const screens = createScreens({ ...deps, cache });
  const decoder = createDesktopDecoder(deps);
  const shots = createShots({ ...deps, decoder });
  const parts = {
    ...deps,
    cache,
    indexer,
    screens,
    shots,
    states: createRecordingStates(deps),
  };
  return {
    handlers: { recordings: recordingHandlers(parts), referencePlayback: compatHandlers(parts) },
    indexer,
    serve: (sockets) => serveDesktopPlayback(sockets, { ...parts, startDecoder: () => createDesktopDecoder(deps) }),
    async close() {
      await indexer.close();
      await screens.close();
      await Promise.all([shots.close(), decoder.close()]);
    },
  };
}
