/** Plays a recording once from where its index ends, and makes the index go on: keyframes, activity, markers, lines. Memory does not grow with its length. */
import { factsOf, isKind } from '@gatehouse/contract/kinds/kinds';
import { noteText } from '../format/desktop-items.ts';
import { readAhead } from '../format/read-ahead.ts';
import { type RecordedItem, readItems } from '../format/read-recording.ts';
import { walkFrames } from '../format/walk-frames.ts';
import type { RecordingSource } from '../stores/recording-store.ts';
import { Activity } from './activity.ts';
import { CommandFinder } from './command-finder.ts';
import { MAX_BLOCKS, toBlocks } from './line-blocks.ts';
import { LineCollector } from './line-collector.ts';
import type { PlayedScreen } from './played-screen.ts';
import { type Marker, packScreen, type RecordingIndex, unpackScreen } from './recording-index.ts';
import { ScreenPlayer } from './screen-player.ts';
import { StatementScreen } from './statement-screen.ts';

/** A seek plays at most about this much. */
const KEYFRAME_BYTES = 256 * 1024;
/** Or this many seconds in which something happened. */
const KEYFRAME_FRAMES = 200;
const KEYFRAME_ROWS_BEFORE = 100;
/** Above this every second one goes: a seek in a huge recording takes a little longer instead of the index growing. */
const MAX_KEYFRAMES = 2_000;
const MAX_MARKERS = 2_000;
/** The terminal remembers more rows than can scroll by between two looks. */
const SCROLLBACK = 3_000;
const LOOK_BYTES = 8 * 1024;
const LOOK_MS = 400;
const DRAWN_CHARACTERS = 400;
const BATCH_BYTES = 128 * 1024;
const BATCH_FRAMES = 64;
const CHECKPOINT_MS = 2_000;
const CHECKPOINT_BYTES = 4 * 1024 * 1024;
/** Keyframes of a running session are made wherever it is read to; the last of them gives way when so little came since. */
const FORCED_APART_BYTES = 64 * 1024;

export interface IndexTask {
  source: RecordingSource;
  /** Where to go on; undefined: from the beginning. */
  previous: RecordingIndex | undefined;
  /** More may follow what is there now. */
  running: boolean;
  /** Told now and then and at the end, with the blocks of lines that are new since. */
  onCheckpoint(index: RecordingIndex, fresh: string[]): Promise<void>;
}

const NOTHING: RecordingIndex = {
  complete: false,
  at: 0,
  ms: 0,
  durationMs: 0,
  cols: 80,
  rows: 24,
  activity: new Activity().state,
  markers: [],
  markersComplete: true,
  keyframes: [],
  last: { ms: 0, cols: 80, rows: 24, ansi: '' },
  blocks: 0,
  linesComplete: true,
  lineCharacters: 0,
  seen: new Int32Array(),
};

export async function indexRecording({ source, previous, running, onCheckpoint }: IndexTask): Promise<void> {
  const known = previous?.keyframes.some(({ at }) => at === previous.at) ? previous : NOTHING;
  const ahead = readAhead(source);
  const run = new IndexRun(known, known === NOTHING ? await isOfStatements(ahead) : known.statements === true);
  const walk = walkFrames(ahead, known.at);
  let damaged: RecordingIndex['damaged'];
  let end = known.at;
  let checked = performance.now();
  let unkept = 0;
  try {
    for (;;) {
      const next = await walk.next();
      if (next.done) {
        if (next.value.found === 'foreign')
          damaged = { at: next.value.at, reason: 'there is something that is no part of it' };
        break;
      }
      const frame = next.value;
      end = frame.at + frame.length;
      if (frame.type === 'seal') continue;
      const items = await readItems(ahead, frame).catch(() => undefined);
      if (!items) {
        damaged = { at: frame.at, reason: 'it cannot be read' };
        end = frame.at;
        break;
      }
      run.feed(items, frame.at);
      if (run.waitingBytes < BATCH_BYTES && run.waitingFrames < BATCH_FRAMES) continue;
      unkept += run.waitingBytes;
      await run.drained();
      run.wantsCheckpoint = performance.now() - checked >= CHECKPOINT_MS || unkept >= CHECKPOINT_BYTES;
      const checkpoint = run.takeCheckpoint();
      if (!checkpoint) continue;
      await onCheckpoint(checkpoint.index, checkpoint.fresh);
      checked = performance.now();
      unkept = 0;
    }
    await run.drained();
    const last = run.finish({ at: end, running, damaged });
    if (last) await onCheckpoint(last.index, last.fresh);
  } finally {
    run.dispose();
  }
}

class IndexRun {
  readonly #screen: PlayedScreen;
  readonly #lines: LineCollector;
  readonly #activity: Activity;
  /** Undefined where no terminal is played. */
  readonly #commands: CommandFinder | undefined;
  readonly #markers: Marker[];
  #markersComplete: boolean;
  #keyframes: RecordingIndex['keyframes'];
  #spacing = KEYFRAME_BYTES;
  #sinceBytes = 0;
  #sinceFrames = 0;
  #lookBytes = 0;
  #lookedMs: number;
  /** It is no terminal: what is drawn of it is not what was said. */
  #hasStatements: boolean;
  /** Of a desktop: its pictures are nothing that a terminal could draw. */
  #picture: { width: number; height: number } | undefined;
  #ms: number;
  #blocks: number;
  #fresh: string[] = [];
  #checkpoint: RecordingIndex | undefined;
  #checkpointBlocks = 0;
  waitingBytes = 0;
  waitingFrames = 0;
  /** The next keyframe is one to go on from. */
  wantsCheckpoint = false;

  constructor(previous: RecordingIndex, isOfStatements: boolean) {
    const size = previous.picture ? previous.last : previous;
    const terminal = isOfStatements ? undefined : new ScreenPlayer(size, SCROLLBACK);
    this.#screen = terminal ?? new StatementScreen();
    this.#hasStatements = isOfStatements;
    const last = previous.keyframes.find(({ at }) => at === previous.at);
    if (last) this.#screen.restore({ cols: last.cols, rows: last.rows, ansi: unpackScreen(last.packed) });
    this.#lines = new LineCollector(terminal, { seen: previous.seen, characters: previous.lineCharacters });
    this.#activity = new Activity(previous.activity);
    this.#markers = [...previous.markers];
    this.#markersComplete = previous.markersComplete;
    this.#keyframes = [...previous.keyframes];
    this.#picture = previous.picture;
    this.#ms = previous.ms;
    this.#lookedMs = previous.ms;
    this.#blocks = previous.blocks;
    this.#commands = terminal && new CommandFinder(terminal, (text) => this.#mark('command', text));
  }

  feed(items: readonly RecordedItem[], at: number): void {
    this.#screen.after(() => this.#keyframeIfDue(at));
    for (const item of items) this.#feedItem(item);
    this.#screen.after(() => {
      this.#sinceFrames += 1;
    });
    this.waitingFrames += 1;
  }

  async drained(): Promise<void> {
    await this.#screen.drained();
    this.waitingBytes = 0;
    this.waitingFrames = 0;
  }

  /** As it was at the last keyframe, with the lines until then; undefined when there was none since the last time. */
  takeCheckpoint(): { index: RecordingIndex; fresh: string[] } | undefined {
    const index = this.#checkpoint;
    if (!index) return undefined;
    this.#checkpoint = undefined;
    const fresh = this.#fresh.splice(0, this.#checkpointBlocks);
    this.#checkpointBlocks = 0;
    return { index, fresh };
  }

  finish({ at, running, damaged }: { at: number; running: boolean; damaged: RecordingIndex['damaged'] }) {
    const isOver = !running;
    if (!this.#hasStatements && !this.#picture) {
      if (isOver) this.#lines.finish(this.#ms);
      else this.#lines.look(this.#ms);
    }
    // Without a keyframe at the end there is nothing to go on from: the next run begins at the last one again.
    if (!isOver && !this.#keyframe(at, true)) return this.takeCheckpoint();
    const complete = isOver;
    const index = { ...this.#snapshot(at), complete, ...(damaged ? { damaged } : {}) };
    return { index, fresh: this.#fresh.splice(0) };
  }

  dispose(): void {
    this.#screen.dispose();
  }

  #feedItem(item: RecordedItem): void {
    const screen = this.#screen;
    if (this.#picture && (item.type === 'output' || item.type === 'size')) {
      this.#feedPicture(item);
      return;
    }
    switch (item.type) {
      case 'output':
        screen.after(() => this.#lookBefore(item.ms));
        if (!this.#commands) {
          this.#feedUndrawn(item.ms, item.bytes.length);
          return;
        }
        this.#commands.before(item.bytes);
        for (let from = 0; from < item.bytes.length; from += LOOK_BYTES) {
          const slice = item.bytes.subarray(from, from + LOOK_BYTES);
          screen.write(slice, () => this.#played(item.ms, slice.length));
        }
        this.waitingBytes += item.bytes.length;
        return;
      case 'size':
        screen.resize(item, () => {
          this.#mark('resize', `${item.cols} × ${item.rows}`, item.ms);
        });
        return;
      case 'join':
      case 'leave':
        screen.after(() => this.#mark(item.type, `${item.user} (${item.mode})`, item.ms));
        return;
      case 'gap':
        screen.after(() => this.#mark('gap', `${item.to - item.from} bytes were not recorded`, item.ms));
        return;
      case 'end':
        screen.after(() => this.#mark('end', item.message || item.cause, item.ms));
        return;
      case 'asked':
        this.#feedStatement(item.ms, item.text);
        return;
      case 'answered':
        if (item.outcome.error !== undefined) this.#feedStatement(item.ms, item.outcome.error);
        return;
      case 'segment':
        this.#picture = { width: item.width, height: item.height };
        return;
      case 'note':
        screen.after(() => this.#mark('note', noteText(item.note), item.ms));
        return;
      case 'pointer':
      case 'facts':
      case 'sample':
      case 'input':
        screen.after(() => {
          this.#ms = Math.max(this.#ms, item.ms);
        });
        return;
      default:
        item satisfies never;
    }
  }

  /** Counted, and drawn by nobody here. */
  #feedPicture(item: Extract<RecordedItem, { type: 'output' | 'size' }>): void {
    if (item.type === 'size') {
      const [width, height] = [item.cols, item.rows];
      this.#picture = { width, height };
      this.#screen.after(() => this.#mark('resize', `${width} × ${height}`, item.ms));
      return;
    }
    this.#feedUndrawn(item.ms, item.bytes.length);
  }

  #feedUndrawn(ms: number, length: number): void {
    this.#screen.after(() => {
      this.#ms = Math.max(this.#ms, ms);
      this.#activity.add(ms, length);
      this.#sinceBytes += length;
    });
    this.waitingBytes += length;
  }

  /** Told as it stands; drawn only for the pictures of lists. */
  #feedStatement(ms: number, text: string): void {
    this.#hasStatements = true;
    const drawn = Buffer.from(`${plainText(text.slice(0, DRAWN_CHARACTERS))}\r\n`);
    this.#screen.write(drawn, () => {
      this.#ms = Math.max(this.#ms, ms);
      this.#activity.add(ms, drawn.length);
      this.#sinceBytes += drawn.length;
      this.#lines.tell(text, this.#ms);
    });
    this.waitingBytes += text.length;
  }

  #played(ms: number, bytes: number): void {
    this.#ms = Math.max(this.#ms, ms);
    this.#activity.add(ms, bytes);
    this.#sinceBytes += bytes;
    this.#lookBytes += bytes;
    if (this.#lookBytes >= LOOK_BYTES) this.#look();
  }

  /** What has been on the screen for a while is looked at before something else takes its place. */
  #lookBefore(ms: number): void {
    if (this.#lookBytes > 0 && ms - this.#lookedMs >= LOOK_MS) this.#look();
  }

  #look(): void {
    this.#lookBytes = 0;
    this.#lookedMs = this.#ms;
    this.#lines.look(this.#ms);
  }

  #mark(type: Marker['type'], text: string, ms = this.#ms): void {
    this.#ms = Math.max(this.#ms, ms);
    const last = this.#markers.at(-1);
    // While a window is dragged there is a size every few milliseconds: the last one counts.
    if (type === 'resize' && last?.type === 'resize' && ms - last.ms < 1_000) this.#markers.pop();
    if (this.#markers.length < MAX_MARKERS) this.#markers.push({ ms: this.#ms, type, text: text.slice(0, 200) });
    else this.#markersComplete = false;
  }

  #keyframeIfDue(at: number): void {
    if (this.#sinceBytes < this.#spacing && this.#sinceFrames < KEYFRAME_FRAMES) return;
    // A kept cursor position is worth waiting for, but some programs keep one for hours.
    if (this.#screen.hasSavedCursor && this.#sinceBytes < 2 * this.#spacing && this.#sinceFrames < 2 * KEYFRAME_FRAMES)
      return;
    if (!this.#keyframe(at, false) || !this.wantsCheckpoint) return;
    this.wantsCheckpoint = false;
    if (!this.#hasStatements && !this.#picture) this.#lines.look(this.#ms);
    this.#checkpoint = this.#snapshot(at);
    this.#checkpointBlocks = this.#fresh.length;
  }

  #keyframe(at: number, forced: boolean): boolean {
    if (!this.#screen.isSettled) return false;
    const last = this.#keyframes.at(-1);
    if (last?.at === at) return true;
    if (last?.forced && this.#sinceBytes < FORCED_APART_BYTES) this.#keyframes.pop();
    const { cols, rows, ansi } = this.#screen.draw(KEYFRAME_ROWS_BEFORE);
    this.#keyframes.push({ at, ms: this.#ms, cols, rows, forced, packed: packScreen(ansi) });
    if (!forced || !last?.forced) this.#sinceFrames = 0;
    if (!forced) this.#sinceBytes = 0;
    if (this.#keyframes.length > MAX_KEYFRAMES) {
      this.#keyframes = this.#keyframes.filter((_, index) => index % 2 === 1);
      this.#spacing *= 2;
    }
    return true;
  }

  #snapshot(at: number): RecordingIndex {
    const { seen, characters } = this.#lines.state;
    const blocks = toBlocks(this.#lines.take()).slice(0, MAX_BLOCKS - this.#blocks);
    this.#blocks += blocks.length;
    this.#fresh.push(...blocks);
    const { cols, rows, ansi } = this.#screen.drawPlain();
    return {
      complete: false,
      at,
      ms: this.#ms,
      durationMs: this.#ms,
      cols: this.#picture?.width ?? cols,
      rows: this.#picture?.height ?? rows,
      ...(this.#picture ? { picture: this.#picture } : {}),
      ...(this.#screen instanceof StatementScreen ? { statements: true } : {}),
      activity: this.#activity.state,
      markers: [...this.#markers],
      markersComplete: this.#markersComplete,
      keyframes: [...this.#keyframes],
      last: { ms: this.#ms, cols, rows, ansi },
      blocks: this.#blocks,
      linesComplete: !this.#lines.isFull && this.#blocks < MAX_BLOCKS,
      lineCharacters: characters,
      seen,
    };
  }
}

/** As its first frame says it was recorded. One that says nothing is played onto a terminal, on which everything can be. */
async function isOfStatements(source: RecordingSource): Promise<boolean> {
  const { value: first } = await walkFrames(source).next();
  if (!first || !('type' in first) || first.type !== 'frame') return false;
  const items = await readItems(source, first).catch(() => []);
  return items.some(
    (item) => item.type === 'facts' && isKind(item.facts.kind) && factsOf(item.facts.kind).recording === 'statements',
  );
}

/** Nothing in a statement moves a cursor. */
function plainText(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ');
}
