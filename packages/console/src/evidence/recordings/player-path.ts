/** Where a recording is played: from the start, from a second, or with words to find. */
import { pagePath } from '@gatehouse/contract/console/pages';
import type { Recording } from '@gatehouse/contract/recordings/recordings';

export function playerPath(
  clusterId: string,
  { sid, kind }: Pick<Recording, 'sid'> & Partial<Pick<Recording, 'kind'>>,
  more: Record<string, string> = {},
): string {
  const path = pagePath('player', { clusterId, sid });
  const query = new URLSearchParams({ ...(kind === undefined ? {} : { recordingType: kind }), ...more }).toString();
  return query === '' ? path : `${path}?${query}`;
}

/** Of the recording, as the address has it. Exact: what was printed a hundredth later would not be seen. */
export function secondsText(ms: number): string {
  return String(Math.max(0, Math.round(ms)) / 1_000);
}
