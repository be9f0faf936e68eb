/** Where the console says that a thing of interest was used. Nothing hears it unless this browser's user switched that on. */

import type { Captured, PreCaptured } from '@gatehouse/contract/console/capture';
import { STORAGE_KEYS } from '@gatehouse/contract/console/local-storage';

export type Usage = { when: 'signed-in'; said: Captured } | { when: 'before'; said: PreCaptured };
type Hearer = (usage: Usage) => void;

const MAX_WAITING = 50;

let hearer: Hearer | undefined;
/** What was used while the code that counts was still on its way. */
let waiting: Usage[] = [];

export function isTelemetryOn(storage: Pick<Storage, 'getItem'>): boolean {
  return storage.getItem(STORAGE_KEYS.telemetry) === 'true';
}

export function capture(said: Captured): void {
  say({ when: 'signed-in', said });
}

/** Before somebody is signed in: the link they came by says who they are. */
export function precapture(said: PreCaptured): void {
  say({ when: 'before', said });
}

/** From here on; what waited comes first. */
export function hearUsage(by: Hearer): void {
  hearer = by;
  for (const usage of waiting.splice(0)) by(usage);
}

export function stopHearing(): void {
  hearer = undefined;
  waiting = [];
}

function say(usage: Usage): void {
  if (hearer) hearer(usage);
  else if (isTelemetryOn(window.localStorage) && waiting.length < MAX_WAITING) waiting.push(usage);
}
