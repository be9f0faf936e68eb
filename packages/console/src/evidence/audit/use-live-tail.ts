/** Follows the log: each answer brings what was written since the last, and the next question waits at the gateway. */

import { eventRoutes, type WireEvent } from '@gatehouse/contract/audit/search';
import { MAX_WAIT_SECONDS } from '@gatehouse/contract/audit/search-query';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import { useEffect, useRef, useState } from 'react';
import type { Api } from '../../platform/api/api.ts';
import { useApi } from '../../platform/browser/use-api.ts';
import type { EventFilter } from './audit-search-params.ts';

/** More than this nobody reads while it runs, and the page would grow for ever. */
export const MAX_FOLLOWED = 5_000;
const AFTER_FAILURE_MS = 3_000;
/** A gateway that does not wait must not be asked without pause. */
const MIN_TURN_MS = 500;
const NEW_MS = 5_000;

export interface LiveTail {
  /** Newest first. */
  events: readonly WireEvent[];
  /** Those of the last few seconds. */
  fresh: ReadonlySet<WireEvent>;
  isConnected: boolean;
  /** Older ones were let go: what was listed before no longer follows on from these. */
  isCut: boolean;
}

const NOTHING: LiveTail = { events: [], fresh: new Set(), isConnected: false, isCut: false };

interface FollowOptions {
  clusterId: string;
  filter: EventFilter;
  isOn: boolean;
  /** Everything from now on arrives: what was written before may be asked for. */
  onBegin: () => void;
}

export function useLiveTail({ clusterId, filter, isOn, onBegin }: FollowOptions): LiveTail {
  const api = useApi();
  const [tail, setTail] = useState(NOTHING);
  const begin = useRef(onBegin);
  useEffect(() => {
    begin.current = onBegin;
  });
  const wanted = JSON.stringify(filter);

  useEffect(() => {
    if (!isOn) return;
    const stop = new AbortController();
    const connected = (isConnected: boolean) => setTail((before) => ({ ...before, isConnected }));
    setTail(NOTHING);
    void follow({
      api,
      clusterId,
      filter: JSON.parse(wanted) as EventFilter,
      signal: stop.signal,
      onBegin: () => begin.current(),
      onConnected: connected,
      onEvents: (events) => setTail((before) => withEvents(before, events)),
    });
    return () => {
      stop.abort();
      setTail(NOTHING);
    };
  }, [api, clusterId, wanted, isOn]);

  const { fresh } = tail;
  useEffect(() => {
    if (fresh.size === 0) return;
    const timer = setTimeout(() => setTail((before) => ({ ...before, fresh: NOTHING.fresh })), NEW_MS);
    return () => clearTimeout(timer);
  }, [fresh]);
  return isOn ? tail : NOTHING;
}

function withEvents(before: LiveTail, arrived: readonly WireEvent[]): LiveTail {
  if (arrived.length === 0) return before.isConnected ? before : { ...before, isConnected: true };
  const all = [...arrived.toReversed(), ...before.events];
  return {
    events: all.slice(0, MAX_FOLLOWED),
    fresh: new Set(arrived),
    isConnected: true,
    isCut: before.isCut || all.length > MAX_FOLLOWED,
  };
}

interface Following {
  api: Api;
  clusterId: string;
  filter: EventFilter;
  signal: AbortSignal;
  onBegin: () => void;
  onConnected: (isConnected: boolean) => void;
  /** Oldest first, as they were written. */
  onEvents: (events: readonly WireEvent[]) => void;
}

async function follow({ api, clusterId, filter, signal, onBegin, onConnected, onEvents }: Following): Promise<void> {
  let after = '';
  while (!signal.aborted) {
    const asked = Date.now();
    const isFirst = after === '';
    const query = isFirst ? filter : { ...filter, after, waitSeconds: String(MAX_WAIT_SECONDS) };
    try {
      const answer = await api(eventRoutes.tail, { params: { clusterId }, query }, signal);
      if (signal.aborted) return;
      after = answer.after;
      onEvents(answer.events);
      if (isFirst) onBegin();
      else if (!answer.more) await pause(MIN_TURN_MS - (Date.now() - asked), signal);
    } catch {
      if (signal.aborted) return;
      onConnected(false);
      await pause(AFTER_FAILURE_MS, signal);
    }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      forget();
      resolve();
    }, ms);
    const forget = whenAborted(signal, () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
