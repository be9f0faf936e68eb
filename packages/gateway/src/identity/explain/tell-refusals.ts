/** Refused calls in the audit log, under the ids that people are shown. Whoever is refused again and again fills no log: a minute's are one. */
import { callRefused } from '@gatehouse/contract/audit/session-events';
import type { Audit } from '../../platform/audit/emit.ts';
import type { Who } from '../../platform/http/actor.ts';
import type { Log } from '../../platform/std/log.ts';
import type { Db } from '../../platform/storage/tables.ts';

export interface Refusal {
  id: string;
  who: Who;
  address: string;
  /** Method and address pattern. */
  call: string;
  message: string;
}

export interface Refusals {
  /** Resolves when it can be found; what is one of many, within a minute. */
  refused(refusal: Refusal): Promise<void>;
  /** Writes what waits. */
  close(): Promise<void>;
}

interface Window {
  more: Refusal[];
  count: number;
  timer: NodeJS.Timeout;
}

const WINDOW_MS = 60_000;
/** As many as are kept with what was missing. */
const MAX_IDS = 30;
/** Of one person at a time; beyond it, whatever they call is one. */
const MAX_CALLS = 20;
const ANY_CALL = 'many calls';

export function createRefusals({ db, audit, log }: { db: Db; audit: Audit; log: Log }): Refusals {
  const people = new Map<string, Map<string, Window>>();

  const write = ({ id, who, address, call, message }: Refusal, more: { count?: number; denials?: string[] } = {}) => {
    const fields = { user: who.username, 'addr.remote': address, door: call, reason: message, denial: id, ...more };
    return db.transaction().execute((tx) => audit.emit(tx, callRefused, fields, { signInId: who.signInId }));
  };

  const tellMore = async ({ more, count }: Window, call: string): Promise<void> => {
    const last = more.at(-1);
    if (last) await write({ ...last, call }, { count, denials: more.map(({ id }) => id) });
  };

  const open = (username: string, call: string): Window => {
    const calls = people.get(username) ?? new Map<string, Window>();
    people.set(username, calls);
    const elapsed = () => {
      const window = calls.get(call);
      calls.delete(call);
      if (calls.size === 0) people.delete(username);
      if (!window || window.count === 0) return;
      // Goes on as long as they do: nobody gets an event of their own by waiting a minute.
      open(username, call);
      tellMore(window, call).catch((error: unknown) => log.error({ error }, 'refused calls could not be told'));
    };
    const window: Window = { more: [], count: 0, timer: setTimeout(elapsed, WINDOW_MS).unref() };
    calls.set(call, window);
    return window;
  };

  return {
    async refused(refusal) {
      const { username } = refusal.who;
      const calls = people.get(username);
      const call = calls && !calls.has(refusal.call) && calls.size >= MAX_CALLS ? ANY_CALL : refusal.call;
      const window = calls?.get(call);
      if (!window) {
        open(username, call);
        await write({ ...refusal, call });
        return;
      }
      window.count += 1;
      window.more.push(refusal);
      if (window.more.length > MAX_IDS) window.more.shift();
    },
    async close() {
      const waiting = [...people.values()].flatMap((calls) => [...calls]);
      people.clear();
      for (const [call, window] of waiting) {
        clearTimeout(window.timer);
        await tellMore(window, call);
      }
    },
  };
}
