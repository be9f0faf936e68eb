/** Finds desktops in a directory again and again. One that is missing is gone only after some rounds: directories are copied, and copies lag behind. */
import { REPORT_BYTES } from '@gatehouse/contract/reach/agents/report';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import type { AgentLog } from '../../runtime/log.ts';
import type { DirectoryConfig } from './directory-config.ts';
import { type FoundDesktop, toDesktop, withoutDoubles } from './directory-desktops.ts';
import { searchDirectory } from './search-directory.ts';

const EVERY_MS = 5 * 60_000;
const MAX_MISSED = 3;
/** In one line of the log. */
const MAX_NAMED = 20;
/** Beside those that its file names. */
const MAX_FOUND = 4_000;
/** Beside all else that a report holds. */
const MAX_BYTES = REPORT_BYTES * 0.75;

export interface DiscoverDeps {
  directory: DirectoryConfig;
  /** Names that its file gives to others. */
  isTaken(name: string): boolean;
  onChange(): void;
  log: AgentLog;
  everyMs?: number;
  search?: typeof searchDirectory;
}

export interface DesktopDiscovery {
  found(): readonly FoundDesktop[];
  /** Looks now; never throws. */
  look(): Promise<void>;
  stop(): void;
}

export function discoverDesktops(deps: DiscoverDeps): DesktopDiscovery {
  const { directory, isTaken, onChange, log, everyMs = EVERY_MS, search = searchDirectory } = deps;
  let known = new Map<string, { desktop: FoundDesktop; missed: number }>();
  let said = '';
  let failure = '';
  let looking: Promise<void> | undefined;

  const look = async () => {
    try {
      const { computers, isWhole } = await search(directory, MAX_FOUND);
      const { single, doubled } = withoutDoubles(
        computers.flatMap(({ dn, entry }) => toDesktop(dn, entry, directory) ?? []),
      );
      if (doubled.length > 0)
        log.warn({ names: doubled.slice(0, MAX_NAMED) }, 'several computers have the same host name');
      const now = new Map(single.filter(({ name }) => !isTaken(name)).map((each) => [each.name, each]));
      const next = new Map([...now].map(([name, desktop]) => [name, { desktop, missed: 0 }]));
      // Where not all were told, nobody knows who is missing.
      for (const [name, { desktop, missed }] of known)
        if (!next.has(name) && !doubled.includes(name) && missed + 1 < MAX_MISSED)
          next.set(name, { desktop, missed: isWhole ? missed + 1 : missed });
      // Sorted: an order is nothing that gateways need to be told of.
      known = fitting(new Map([...next].sort(([a], [b]) => (a < b ? -1 : 1))), log);
      if (!isWhole && computers.length < MAX_FOUND) log.warn({}, 'the directory ended its list with an empty page');
      else if (!isWhole) log.warn({ max: MAX_FOUND }, 'the directory holds more desktops than are offered');
      if (failure !== '') log.info({}, 'the directory answers again');
      failure = '';
      const text = JSON.stringify([...known.values()].map(({ desktop }) => desktop));
      if (text === said) return;
      said = text;
      onChange();
    } catch (error) {
      const reason = reasonOf(error);
      if (reason !== failure) log.warn({ reason, url: directory.url }, 'desktops cannot be found in the directory');
      failure = reason;
    }
  };
  const lookOnce = () => {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  };
  const timer = setInterval(() => void lookOnce(), everyMs).unref();
  return {
    found: () => [...known.values()].map(({ desktop }) => desktop),
    look: lookOnce,
    stop: () => clearInterval(timer),
  };
}

/** A report that is too large would be refused as a whole. */
function fitting<Known extends { desktop: FoundDesktop }>(all: Map<string, Known>, log: AgentLog): Map<string, Known> {
  let bytes = 0;
  const kept = [...all].filter(([, { desktop }]) => {
    bytes += Buffer.byteLength(JSON.stringify(desktop)) + 100;
    return bytes <= MAX_BYTES;
  });
  if (kept.length < all.size)
    log.warn({ found: all.size, offered: kept.length }, 'more desktops were found than fit into a report');
  return new Map(kept);
}

/** What directories answer with, in words: most say a number and no more. */
const RESULTS: Readonly<Record<number, string>> = {
  4: 'the directory answers with fewer than there are: it limits searches',
  8: 'the directory asks for stronger authentication than an account with a password',
  13: 'the directory asks for TLS',
  32: 'the directory has no such baseDn',
  49: 'the directory does not take the account (bindDn) with the password in passwordFile',
  50: 'the account may not search there',
};

function reasonOf(error: unknown): string {
  const code: unknown = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return (typeof code === 'number' && RESULTS[code]) || errorMessage(error).trim();
}
