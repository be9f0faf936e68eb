/** What providers publish about themselves, kept for a while: their settings and keys are wanted with every sign-in and hardly ever change. */
import { AppError } from '../../../platform/std/app-error.ts';
import { BoundedMap } from '../../../platform/std/bounded-map.ts';
import type { ProviderFetch } from './provider-fetch.ts';

/** Drafts of connectors may name any provider: those of connectors that are used must not need all the memory of a gateway. */
const MAX_PAGES = 64;
const MAX_KEPT_CHARACTERS = 256 * 1024;
/** Of larger pages only what was read is kept, of so many: anybody may begin a sign-in, and would make us fetch and read it again. */
const MAX_HUGE = 8;

/** Before a browser is sent there: of a provider that has gone, people would see what their browser says, and nobody here would hear of it. */
export const SENDING_MS = 60_000;

/** How long after an ask that failed whoever asks sparingly is told of it, instead of asking again. */
export const FAILED_MS = 5_000;

/** The text at an address, as it was within the last `maxAgeMs`. Throws `AppError` where there is none. */
export type ProviderRecall = (url: string, maxAgeMs: number) => Promise<string>;

type Reader<T> = (text: string, url: string) => T | Promise<T>;

export interface ProviderMemory extends ProviderRecall {
  /** The same, read once by each function for as long as the text is kept: give the same function, not a new one for each call. */
  as<T>(url: string, maxAgeMs: number, read: Reader<T>): Promise<T>;
}

export interface ProviderMemories extends ProviderMemory {
  /** Of the same pages, for what any stranger can set off: a provider that does not answer is not asked with each call. */
  sparing: ProviderMemory;
}

interface Page {
  asked: number;
  text: Promise<string>;
  /** What the text was read as, by whom. A provider may publish one address for two things. */
  read: Map<unknown, unknown>;
}

export function createProviderRecall({ fetch, now }: { fetch: ProviderFetch; now: () => number }): ProviderMemories {
  const pages = new BoundedMap<string, Page>(MAX_PAGES);
  const huge = new BoundedMap<string, Pick<Page, 'asked' | 'read'>>(MAX_HUGE);
  /** On their way. What was known before is kept meanwhile: whoever made us ask again must not take it from others. */
  const asks = new Map<string, Page>();
  const failures = new BoundedMap<string, { at: number; error: unknown }>(MAX_PAGES);

  const ask = async (url: string): Promise<string> => {
    const page: Page = { asked: now(), text: readPage(fetch, url), read: new Map() };
    asks.set(url, page);
    try {
      const text = await page.text;
      pages.delete(url);
      if (text.length <= MAX_KEPT_CHARACTERS) pages.set(url, page);
      return text;
    } catch (error) {
      failures.set(url, { at: now(), error });
      throw error;
    } finally {
      if (asks.get(url) === page) asks.delete(url);
    }
  };
  const recallBy = (isSparing: boolean) => async (url: string, maxAgeMs: number) => {
    const isYoung = (page: Page | undefined) => page && now() - page.asked < maxAgeMs;
    const known = [pages.get(url), asks.get(url)].find(isYoung);
    if (known) return await known.text;
    // Others are let ask: a provider that has come back is found again at once.
    const failed = isSparing ? failures.get(url) : undefined;
    if (failed && now() - failed.at < FAILED_MS) throw failed.error;
    return await ask(url);
  };
  const memoryBy = (isSparing: boolean): ProviderMemory => {
    const recall = recallBy(isSparing);
    const as = async <T>(url: string, maxAgeMs: number, read: Reader<T>): Promise<T> => {
      const held = huge.get(url);
      if (held?.read.has(read) && now() - held.asked < maxAgeMs) return held.read.get(read) as T;
      const asked = now();
      const text = await recall(url, maxAgeMs);
      const page = pages.get(url);
      // Too large to be kept, or another text by now.
      if (!page || (await page.text) !== text) {
        const made = await read(text, url);
        huge.delete(url);
        if (text.length > MAX_KEPT_CHARACTERS) huge.set(url, { asked, read: new Map([[read, made]]) });
        return made;
      }
      if (!page.read.has(read)) page.read.set(read, read(text, url));
      return await (page.read.get(read) as T);
    };
    return Object.assign(recall, { as });
  };
  return Object.assign(memoryBy(false), { sparing: memoryBy(true) });
}

async function readPage(fetch: ProviderFetch, url: string): Promise<string> {
  const response = await fetch(url, { headers: { accept: 'application/json, */*' } });
  if (response.status !== 200)
    throw new AppError('target_unreachable', `${url.slice(0, 200)} answers with ${response.status} instead of 200`);
  return await response.text();
}
