/** How a database was found when it was last reached, as far as anybody knows: nobody asks it meanwhile. */
import type { Database } from '@gatehouse/contract/kinds/db/databases';
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { formatRelative } from '../../platform/i18n/formats.ts';
import { type Translate, useTranslate } from '../../platform/i18n/words.ts';
import { ResourceStatus, type Status } from '../../shared/resource-list/resource-status.tsx';
import { isAway } from './db-badges.tsx';

const DAY_MS = 86_400_000;
/** As the gateway warns of it. */
const WARNED_MS = 14 * DAY_MS;

/** What somebody must do something about comes first. */
export function statusOf(t: Translate, database: Database, now: number): Status {
  const { wrong, reached, certificateEnds } = database.gatehouse ?? {};
  if (wrong) return { dot: 'bad', words: t('databases.status-wrong'), hint: t('databases.wrong-hint', { why: wrong }) };
  if (isAway(database)) return { dot: 'bad', words: t('databases.status-away'), hint: t('databases.away-hint') };
  const left = certificateEnds === undefined ? Number.NaN : Date.parse(certificateEnds) - now;
  if (certificateEnds !== undefined && left <= WARNED_MS) {
    const hint = t('databases.status-ends-hint', { day: certificateEnds.slice(0, 10) });
    if (left <= 0) return { dot: 'bad', words: t('databases.status-ended'), hint };
    return { dot: 'warn', words: t('databases.status-ends', { days: Math.floor(left / DAY_MS) }), hint };
  }
  if (reached === undefined)
    return { dot: 'off', words: t('databases.status-never'), hint: t('databases.status-never-hint') };
  const at = Date.parse(reached);
  const when = formatRelative(at, Math.max(now, at));
  return {
    dot: 'ok',
    words: t('databases.status-reached', { when }),
    hint: t('databases.status-reached-hint', { time: formatDateTime(reached) }),
  };
}

export function DbStatus({ database }: { database: Database }) {
  const t = useTranslate();
  const { now } = useBrowser();
  return <ResourceStatus status={statusOf(t, database, now())} />;
}
