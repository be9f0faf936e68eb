/** How much a recording of a desktop takes in a minute: at rest, with office work, with an animation. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { draw } from './desktops-drawing.ts';
import type { PageScreen } from './desktops-screens.ts';
import type { DesktopBenchWorld } from './desktops-world.ts';

/** What was drawn is on disk a second later. */
const WRITTEN_MS = 2_000;
const REST_SECONDS = 20;
const OFFICE_SECONDS = 40;
const ANIMATION_SECONDS = 10;
/** Somebody types, four keys a second, and now and then a page is scrolled for a moment. */
const KEY_MS = 250;
const SCROLLED_SECONDS = 1;
const SCROLLS = 3;

/** In megabytes a minute. */
export interface RecordedMinutes {
  rest: number;
  office: number;
  animation: number;
}

export async function recordedMinutes(
  { gateway, xrdp }: DesktopBenchWorld,
  page: PageScreen,
): Promise<RecordedMinutes> {
  const file = join(gateway.dataDir, 'recordings', `${page.sid}.rec`);
  const measured = async (work: () => Promise<void>) => {
    await sleep(WRITTEN_MS);
    const [bytes, began] = [statSync(file).size, performance.now()];
    await work();
    const minutes = (performance.now() - began) / 60_000;
    await sleep(WRITTEN_MS);
    return (statSync(file).size - bytes) / 1e6 / minutes;
  };
  const rest = await measured(() => sleep(REST_SECONDS * 1_000));
  const office = await measured(async () => {
    for (let part = 0; part < SCROLLS; part += 1) {
      const seconds = OFFICE_SECONDS / SCROLLS - SCROLLED_SECONDS;
      const drawn = draw(xrdp, 'keys', seconds);
      for (const ends = performance.now() + seconds * 1_000; performance.now() < ends; await sleep(KEY_MS))
        page.press();
      await drawn;
      await draw(xrdp, 'scrolling', SCROLLED_SECONDS);
    }
  });
  const animation = await measured(() => draw(xrdp, 'animation', ANIMATION_SECONDS));
  return { rest, office, animation };
}
