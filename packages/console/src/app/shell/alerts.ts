/** Alerts of the cluster, less those the user put away for a day in this browser. */

import { ALERT_LINK_LABEL, ALERT_SEVERITIES, type Alert, clusterRoutes } from '@gatehouse/contract/console/clusters';
import { STORAGE_KEYS } from '@gatehouse/contract/console/local-storage';
import { parseJson } from '@gatehouse/contract/std/parse-json';
import type { NoticeProps } from '@gatehouse/design/notice';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { useApi } from '../../platform/browser/use-api.ts';

export const DISMISSED_FOR_MS = 24 * 3_600_000;
/** News comes by the changes socket; this is for networks that let no socket through. */
const ASK_EVERY_MS = 300_000;

export function useAlerts(clusterId: string) {
  const api = useApi();
  const { storage, now } = useBrowser();
  const [dismissed, setDismissed] = useState(() => readDismissed(storage, now()));
  const query = useQuery({
    queryKey: ['alerts', clusterId],
    queryFn: ({ signal }) => api(clusterRoutes.alerts, { params: { clusterId } }, signal),
    refetchInterval: ASK_EVERY_MS,
  });
  const alerts = (query.data?.alerts ?? []).filter((alert) => (dismissed[alert.metadata.name] ?? 0) <= now());

  const dismiss = (name: string) => {
    // Read again: another tab may have put something away meanwhile.
    const next = { ...readDismissed(storage, now()), [name]: now() + DISMISSED_FOR_MS };
    storage.setItem(STORAGE_KEYS.disabledAlerts, JSON.stringify(next));
    setDismissed(next);
  };
  return { alerts, dismiss, isFailed: query.isError };
}

/** Names and the time until which each stays away; those whose time has come are left out. */
export function readDismissed(storage: Pick<Storage, 'getItem'>, now: number): Record<string, number> {
  const stored = parseJson(storage.getItem(STORAGE_KEYS.disabledAlerts) ?? '');
  if (typeof stored !== 'object' || stored === null) return {};
  return Object.fromEntries(
    Object.entries(stored).filter((entry): entry is [string, number] => typeof entry[1] === 'number' && entry[1] > now),
  );
}

/** Below 5 for information, below 10 a warning, else urgent. */
export function alertTone({ spec }: Alert): Exclude<NonNullable<NoticeProps['tone']>, 'ok'> {
  if (spec.severity < ALERT_SEVERITIES.medium) return 'info';
  return spec.severity < ALERT_SEVERITIES.high ? 'warn' : 'bad';
}

/** Only what a browser opens as a page: an alert's link is written by somebody else. */
export function alertLink({ metadata }: Alert): string | undefined {
  const link = metadata.labels[ALERT_LINK_LABEL];
  return link && /^https?:\/\//i.test(link) ? link : undefined;
}
