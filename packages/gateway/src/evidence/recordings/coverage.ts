/** How many of the ended sessions have a recording that plays, and what became of the others. */
import { isRecorded } from '@gatehouse/contract/kinds/kinds';
import type { Coverage } from '@gatehouse/contract/recordings/recording-upkeep';
import type { Db } from '../../platform/storage/tables.ts';
import { listEndedSessions, type Session } from '../../sessions/host/session-store.ts';
import { findRecordings, type GapCause, type KnownRecording } from './recording-status-store.ts';

const PAGE = 500;
const MAX_GAPS = 1_000;

export interface CoverageRequest {
  cluster: string;
  from: number;
  to: number;
  /** Who asks may know of it. */
  isSeen(session: Session): boolean;
}

type Counted = Pick<Coverage, 'sessions' | 'recorded' | 'share' | 'gaps' | 'gapsComplete'>;

export async function measureCoverage(db: Db, { cluster, from, to, isSeen }: CoverageRequest): Promise<Counted> {
  const gaps: Coverage['gaps'] = [];
  let sessions = 0;
  let recorded = 0;
  for (let after: Session | undefined; ; ) {
    const page = await listEndedSessions(db, { cluster, from, to, after, limit: PAGE });
    const known = await findRecordings(
      db,
      page.map(({ id }) => id),
    );
    for (const session of page) {
      const gap = gapOf(session, known.get(session.id));
      if (gap === undefined || !isSeen(session)) continue;
      sessions += 1;
      if (gap === '') recorded += 1;
      else if (gaps.length < MAX_GAPS) gaps.push(tell(session, gap, known.get(session.id)));
    }
    after = page.at(-1);
    if (page.length < PAGE) break;
  }
  const share = sessions === 0 ? 1 : recorded / sessions;
  return { sessions, recorded, share, gaps, gapsComplete: gaps.length === sessions - recorded };
}

/** Undefined: none was to be made of it, or it was removed as it should. */
function gapOf(session: Session, known: KnownRecording | undefined): GapCause | '' | undefined {
  const { recorded, action, interactive, connected } = session;
  if (!isRecorded(action.kind) || (!interactive && !recorded)) return undefined;
  if (connected === undefined && known?.gap !== 'failed') return undefined;
  if (!known) return recorded ? 'missing' : undefined;
  if (known.state === 'removed') return undefined;
  return known.state === 'live' ? 'missing' : known.gap;
}

function tell({ id, user, action, ended }: Session, cause: GapCause, known: KnownRecording | undefined) {
  return {
    sid: id,
    user,
    resource: action.resource.name,
    ended: new Date(ended?.at ?? 0).toISOString(),
    cause,
    reason: known?.reason || 'nobody has looked at it yet',
  };
}
