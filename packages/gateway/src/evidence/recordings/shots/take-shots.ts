/** Plays a recorded desktop once, in a process of its own, and keeps a picture each minute and each megabyte in which something was drawn. */
import type { DesktopDecoder, DrawnDesktop } from '../../../sessions/desktop/decoder/desktop-decoder.ts';
import { RdpPrelude } from '../../../sessions/desktop/rdp-prelude.ts';
import { allTiles } from '../../../sessions/desktop/rdp-tiles.ts';
import { segmentItem } from '../format/desktop-items.ts';
import { ITEMS, type Item } from '../format/frames.ts';
import { readAhead } from '../format/read-ahead.ts';
import { readPlainItems } from '../format/read-recording.ts';
import { walkFrames } from '../format/walk-frames.ts';
import type { RecordingSource } from '../stores/recording-store.ts';
import { readShot, readShots, type Shot, type ShotStore, sizeOf, writeShot, writeShots } from './shot-files.ts';

/** Who seeks draws what lies between one and the time that they want: more of it is felt. */
export const SHOT_SPACING = { ms: 60_000, bytes: 1024 * 1024 };
/** A recording of days has them further apart. */
const MAX_SHOTS = 600;
const FEED_BYTES = 256 * 1024;
const SMALL_WIDTH = 320;

export interface TakeShotsDeps {
  store: ShotStore;
  decoder: Pick<DesktopDecoder, 'open'>;
  /** Waits while others need the machine; false: it is not wanted any more. */
  goOn(): Promise<boolean>;
  spacing?: typeof SHOT_SPACING;
}

/** Goes on from the last one that was kept. */
export async function takeShots(deps: TakeShotsDeps, sid: string, source: RecordingSource): Promise<void> {
  const known = await readShots(deps.store, sid);
  if (known.complete) return;
  const desktop = deps.decoder.open();
  try {
    await new Taking(deps, sid, desktop, [...known.shots]).run(source);
  } finally {
    desktop.close();
  }
}

class Taking {
  readonly #deps: TakeShotsDeps;
  readonly #sid: string;
  readonly #desktop: DrawnDesktop;
  readonly #shots: Shot[];
  readonly #spacing: typeof SHOT_SPACING;
  /** Of RDP, from the first handshake on. */
  #prelude: RdpPrelude | undefined;
  /** Drawn straight through: who seeks begins at a whole picture of the host, and not at one of ours. */
  #isVnc = false;
  /** Said for who begins there. */
  #isGreetingNext = false;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #sinceBytes = 0;
  #lastMs = 0;
  #draws = 0;

  constructor(deps: TakeShotsDeps, sid: string, desktop: DrawnDesktop, shots: Shot[]) {
    this.#deps = deps;
    this.#sid = sid;
    this.#desktop = desktop;
    this.#shots = shots;
    this.#spacing = deps.spacing ?? SHOT_SPACING;
  }

  async run(source: RecordingSource): Promise<void> {
    const from = (await this.#restore()) ?? { at: 0, items: 0 };
    const ahead = readAhead(source);
    let last = { ms: 0, at: 0, items: 0 };
    for await (const frame of walkFrames(ahead, from.at)) {
      if (frame.type !== 'frame') continue;
      const items = await readPlainItems(ahead, frame).catch(() => undefined);
      // What comes before the damage is drawn.
      if (!items) break;
      for (const [number, item] of items.entries()) {
        if (frame.at === from.at && number < from.items) continue;
        last = { ms: item.ms, at: frame.at, items: number + 1 };
        await this.#take(item);
        if (this.#isDue(item.ms)) await this.#keep(last);
      }
      if (!(await this.#deps.goOn())) return;
    }
    if (this.#sinceBytes > 0 && this.#canKeep) await this.#keep(last, true);
    await writeShots(this.#deps.store, this.#sid, { shots: this.#shots, complete: true });
  }

  /** Where the last one was taken; undefined: there is none to go on from. */
  async #restore(): Promise<Shot | undefined> {
    for (;;) {
      const last = this.#shots.at(-1);
      if (!last) return undefined;
      const kept = await readShot(this.#deps.store, this.#sid, last.number);
      if (kept?.prelude.length === 0) {
        this.#lastMs = last.ms;
        return undefined;
      }
      if (kept) {
        const prelude = new RdpPrelude();
        for (const pdu of kept.prelude) prelude.follow(pdu);
        this.#prelude = prelude;
        this.#lastMs = last.ms;
        await this.#desktop.begin(sizeOf(last));
        await this.#desktop.feed([...kept.prelude, ...(await allTiles(kept.rgba, last))]);
        return last;
      }
      this.#shots.pop();
    }
  }

  async #take({ type, bytes }: Item): Promise<void> {
    if (type === ITEMS.segment) {
      await this.#feed();
      const { protocol, width, height } = segmentItem.parse(JSON.parse(bytes.toString('utf8')));
      this.#prelude = protocol === 'rdp' ? new RdpPrelude() : undefined;
      this.#isGreetingNext = protocol === 'vnc' && this.#isVnc;
      this.#isVnc = protocol === 'vnc';
      if (this.#isGreetingNext) return;
      this.#draws = 0;
      await this.#desktop.begin({ width, height }, protocol);
    }
    if (type !== ITEMS.output || (!this.#prelude && !this.#isVnc)) return;
    if (this.#isGreetingNext) {
      this.#isGreetingNext = false;
      return;
    }
    this.#prelude?.follow(bytes);
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#sinceBytes += bytes.length;
    if (this.#waitingBytes >= FEED_BYTES) await this.#feed();
  }

  async #feed(): Promise<void> {
    if (this.#waiting.length === 0) return;
    const pdus = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    await this.#desktop.feed(pdus);
  }

  get #canKeep(): boolean {
    return this.#prelude?.isBoundary ?? this.#isVnc;
  }

  #isDue(ms: number): boolean {
    // Before the last one: what is drawn from the beginning once more has been kept.
    if (this.#sinceBytes === 0 || !this.#canKeep || ms < this.#lastMs) return false;
    // So many that each further one has to be worth more.
    const more = 1 + Math.floor(this.#shots.length / MAX_SHOTS) * 4;
    return ms - this.#lastMs >= this.#spacing.ms * more || this.#sinceBytes >= this.#spacing.bytes * more;
  }

  async #keep({ ms, at, items }: { ms: number; at: number; items: number }, isLast = false): Promise<void> {
    await this.#feed();
    const prelude = this.#prelude?.all() ?? [];
    const look = () => this.#desktop.look({ as: 'png', maxWidth: SMALL_WIDTH });
    // Nobody begins at one of VNC: the large one would be for nothing.
    const seen = this.#isVnc ? await look() : await this.#desktop.look({ as: 'raw' });
    if (seen.isMidway && !isLast) return;
    const hasChanged = seen.draws !== this.#draws;
    this.#lastMs = ms;
    this.#sinceBytes = 0;
    // Headers and pointers change nothing that is seen.
    if (!hasChanged) return;
    this.#draws = seen.draws;
    const small = this.#isVnc ? seen : await look();
    const number = (this.#shots.at(-1)?.number ?? -1) + 1;
    const { store } = this.#deps;
    const { buffer, byteOffset, length } = seen.bytes;
    await writeShot(store, this.#sid, number, {
      png: Buffer.from(small.bytes),
      prelude,
      rgba: this.#isVnc ? Buffer.alloc(0) : Buffer.from(buffer, byteOffset, length),
    });
    this.#shots.push({ number, ms, at, items, width: seen.width, height: seen.height });
    await writeShots(store, this.#sid, { shots: this.#shots, complete: false });
  }
}
