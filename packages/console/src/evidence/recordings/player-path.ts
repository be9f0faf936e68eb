/** Where a recording is played: from the start, from a second, or with words to find. */
import { pagePath } from '@gatehouse/contract/console/pages';
import type { Recording } from '@gatehouse/contract/recordings/recordings';
import { rendererOf } from './renderers.ts';

export function playerPath(
  clusterId: string,
  { sid, kind, durationMs }: Pick<Recording, 'sid'> & Partial<Pick<Recording, 'kind' | 'durationMs'>>,
  more: Record<string, string> = {},
): string {
  const path = pagePath('player', { clusterId, sid });
  const query = new URLSearchParams({ ...typeOf(kind, durationMs), ...more }).toString();
  return query === '' ? path : `${path}?${query}`;
}

/** A link that names a type which is wrong without a length names both, or none: the recording itself knows what it is. */
function typeOf(kind: string | undefined, durationMs: number | undefined): Record<string, string> {
  if (kind === undefined) return {};
  const renderer = rendererOf(kind);
  if (!renderer || !('linkTellsDuration' in renderer)) return { recordingType: kind };
  return durationMs === undefined ? {} : { recordingType: kind, durationMs: String(durationMs) };
}

/** Of the recording, as the address has it. Exact: what was printed a hundredth later would not be seen. */
export function secondsText(ms: number): string {
  return String(Math.max(0, Math.round(ms)) / 1_000);
}
