/** A page on the gateway and a client straight at the same host, one after the other, round by round: how many frames each shows, and how soon a key is seen. */
import { setTimeout as sleep } from 'node:timers/promises';
import { median, verdict } from './bench-frame.ts';
import type { Drawing } from './desktops-drawing.ts';
import { clockMs, type Screen } from './desktops-screens.ts';

const LIMITS = { frames: 0.7, keyAddedMs: 10, keyMs: 40 };
const ROUNDS = 3;
const DRAWN_SECONDS = 8;
/** Of them, so that what opening costs is not counted. */
const SETTLED_MS = 2_000;
const COUNTED_MS = 5_000;
const KEYS = 60;
const KEY_PACE_MS = 80;

type With = <Found>(work: (screen: Screen) => Promise<Found>) => Promise<Found>;

export interface Compared {
  /** What the client straight at the host is called. */
  beside: string;
  /** Each opens a screen, and closes it afterwards. */
  withPage: With;
  withStraight: With;
  /** Runs so long in the session. */
  draw(drawing: Drawing, seconds: number): Promise<void>;
}

export async function compareFrames({ beside, withPage, withStraight, draw }: Compared): Promise<void> {
  for (const drawing of ['animation', 'scrolling'] as const) {
    const count = async (screen: Screen) => {
      const drawn = draw(drawing, DRAWN_SECONDS);
      await sleep(SETTLED_MS);
      const from = screen.changes.length;
      const began = clockMs();
      await sleep(COUNTED_MS);
      const frames = ((screen.changes.length - from) / (clockMs() - began)) * 1_000;
      await drawn;
      return frames;
    };
    const ratios: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const ours = await withPage(count);
      const straight = await withStraight(count);
      console.log(`     ${drawing}: ${ours.toFixed(1)} frames a second, ${beside} ${straight.toFixed(1)}`);
      ratios.push(ours / straight);
    }
    const ratio = median(ratios);
    verdict(`${drawing}: ${ratio.toFixed(2)} of ${beside} (at least ${LIMITS.frames})`, ratio >= LIMITS.frames);
  }
}

export async function compareKeys({ beside, withPage, withStraight, draw }: Compared): Promise<void> {
  const seconds = 6 + Math.ceil((KEYS * (KEY_PACE_MS + 100)) / 1_000);
  const times = async (screen: Screen) => {
    const begun = screen.next();
    const drawn = draw('keys', seconds);
    await begun;
    await sleep(SETTLED_MS);
    const found: number[] = [];
    for (let key = 0; key < KEYS; key += 1) {
      const changed = screen.next();
      const began = clockMs();
      screen.press();
      found.push((await changed).at - began);
      await sleep(KEY_PACE_MS);
    }
    await drawn;
    return median(found);
  };
  const ours: number[] = [];
  const straight: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    ours.push(await withPage(times));
    straight.push(await withStraight(times));
    console.log(`     key to pixel p50 ${ours.at(-1)?.toFixed(1)} ms, ${beside} ${straight.at(-1)?.toFixed(1)} ms`);
  }
  const added = median(ours) - median(straight);
  verdict(
    `a key and its pixel, p50: ${median(ours).toFixed(1)} ms (at most ${LIMITS.keyMs})`,
    median(ours) <= LIMITS.keyMs,
  );
  verdict(`above ${beside}: ${added.toFixed(1)} ms (below ${LIMITS.keyAddedMs})`, added < LIMITS.keyAddedMs);
}
