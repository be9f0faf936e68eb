/** What providers publish about themselves, kept for a while: their settings and keys are wanted with every sign-in and hardly ever change. */
import { AppError } from '../../../platform/std/app-error.ts';
import { BoundedMap } from '../../../platform/std/bounded-map.ts';
import type { ProviderFetch } from './provider-fetch.ts';

/** Drafts of connectors may name any provider: those of connectors that are used must not need all the memory of a gateway. */
const MAX_PAGES = 64;
const MAX_KEPT_CHARACTERS = 256 * 1024;
/** Of larger pages only what was read is kept, of so many: anybody may begin a sign-in, and would make us fetch and read it again. */
const MAX_HUGE = 8;

/** The text at an address, as it was within the last `maxAgeMs`. Throws `AppError` where there is none. */
export type ProviderRecall = (url: string, maxAgeMs: number) => Promise<string>;

export interface ProviderMemory extends ProviderRecall {
  /** The same, read once by each function for as long as the text is kept: give the same function, not a new one for each call. */
  as<T>(url: string, maxAgeMs: number, read: (text: string, url: string) => T | Promise<T>): Promise<T>;
}

interface Page {
  asked: number;
  text: Promise<string>;
  /** What the text was read as, by whom. A provider may publish one address for two things. */
  read: Map<unknown, unknown>;
}

export function createProviderRecall({ fetch, now }: { fetch: ProviderFetch; now: () => number }): ProviderMemory {
  const pages = new BoundedMap<string, Page>(MAX_PAGES);
  const huge = new BoundedMap<string, Pick<Page, 'asked' | 'read'>>(MAX_HUGE);

  const recall = async (url: string, maxAgeMs: number): Promise<string> => {
    const known = pages.get(url);
    if (known && now() - known.asked < maxAgeMs) return await known.text;
    const page: Page = { asked: now(), text: readPage(fetch, url), read: new Map() };
    pages.delete(url);
    pages.set(url, page);
    const forget = () => {
      if (pages.get(url) === page) pages.delete(url);
    };
    try {
      const text = await page.text;
      if (text.length > MAX_KEPT_CHARACTERS) forget();
      return text;
    } catch (error) {
      // A provider that has come back is asked again, and not after minutes.
      forget();
      throw error;
    }
  };
  const as = async <T>(
    url: string,
    maxAgeMs: number,
    read: (text: string, url: string) => T | Promise<T>,
  ): Promise<T> => {
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
}

async function readPage(fetch: ProviderFetch, url: string): Promise<string> {
  const response = await fetch(url, { headers: { accept: 'application/json, */*' } });
  if (response.status !== 200)
    throw new AppError('target_unreachable', `${url.slice(0, 200)} answers with ${response.status} instead of 200`);
  return await response.text();
}
