/** Leaves out of what a host of RDP has drawn the tiles of RemoteFX that it has drawn over since: each stands for itself, so nobody who begins to look misses them. Bytes of hosts: what is not read for certain stays. */
import { readFrame, readHeaders } from '@gatehouse/contract/kinds/desktop/remotefx/frame';
import { common, type Rectangle } from '@gatehouse/contract/kinds/desktop/remotefx/rectangles';
import {
  FRAGMENT,
  readCommands,
  readUpdate,
  type SurfaceCommand,
  UPDATE,
} from '@gatehouse/contract/kinds/desktop/remotefx/surface-update';
import { TILE } from '@gatehouse/contract/kinds/desktop/remotefx/tile';
import { leanFrame } from './lean-frame.ts';

/** Of one frame: more are no picture of any host, and would take longer to look at than to draw. */
const MAX_PIECES = 8_192;
/** Parts of one tile that are drawn over, side by side. */
const MAX_PARTS = 8;
const NOTHING: Uint8Array = new Uint8Array(0);

/** One update, in as many PDUs as it came. */
interface HostUpdate {
  pdus: readonly Buffer[];
  /** Undefined where it is more than one frame, or cannot be left out. */
  frame?: HostFrame;
  marker?: 'begins' | 'ends';
}

interface HostFrame {
  /** Where each of its tiles draws: in as many parts as there are of the frame. */
  tiles: readonly TileParts[];
  /** It tells headers that nobody has heard before. */
  isFirst: boolean;
  command: Buffer;
  bytes: Buffer;
}

interface TileParts {
  place: string;
  parts: readonly Rectangle[];
}

/** Whole PDUs in their order; what is drawn of them is the same with and without what is left out. */
export function withoutOverdrawn(pdus: readonly Buffer[]): Buffer[] {
  const updates = updatesOf(pdus);
  const later = new Map<string, Rectangle[]>();
  const kept = new Map<HostUpdate, readonly Buffer[]>();
  for (const [at, update] of [...updates.entries()].reverse()) {
    const { frame } = update;
    if (!frame) continue;
    const keeps = frame.tiles.map(
      ({ place, parts }) => !parts.every((part) => later.get(place)?.some((over) => holds(over, part))),
    );
    for (const [number, { place, parts }] of frame.tiles.entries())
      if (keeps[number]) for (const part of parts) cover(later, place, part);
    if (frame.isFirst || keeps.every((keep) => keep)) continue;
    const isGone = !keeps.includes(true);
    kept.set(update, isGone ? [] : leanFrame(frame.command, frame.bytes, keeps));
    if (!isGone) continue;
    const [before, after] = [updates[at - 1], updates[at + 1]];
    if (before?.marker === 'begins') kept.set(before, []);
    if (after?.marker === 'ends') kept.set(after, []);
  }
  return updates.flatMap((update) => kept.get(update) ?? update.pdus);
}

function cover(later: Map<string, Rectangle[]>, place: string, part: Rectangle): void {
  const parts = later.get(place) ?? [];
  if (parts.length >= MAX_PARTS || parts.some((over) => holds(over, part))) return;
  parts.push(part);
  later.set(place, parts);
}

function holds(whole: Rectangle, part: Rectangle): boolean {
  const both = common(whole, part);
  return both !== undefined && both.width === part.width && both.height === part.height;
}

function updatesOf(pdus: readonly Buffer[]): HostUpdate[] {
  const updates: HostUpdate[] = [];
  /** Told at first, and by some hosts again with each frame. */
  const headers = { bytes: NOTHING };
  let held: Buffer[] = [];
  const release = () => {
    for (const pdu of held.splice(0)) updates.push({ pdus: [pdu] });
  };
  for (const pdu of pdus) {
    const update = readUpdate(pdu);
    const fragment = update?.code === UPDATE.surface ? update.fragment : undefined;
    const goesOn = held.length > 0 && (fragment === FRAGMENT.next || fragment === FRAGMENT.last);
    if (!goesOn) release();
    held.push(pdu);
    if (fragment === FRAGMENT.first || (goesOn && fragment === FRAGMENT.next)) continue;
    const whole = held;
    held = [];
    updates.push(goesOn || fragment === FRAGMENT.single ? updateOf(whole, headers) : { pdus: whole });
  }
  release();
  return updates;
}

function updateOf(pdus: readonly Buffer[], headers: { bytes: Uint8Array }): HostUpdate {
  const data = Buffer.concat(pdus.map((pdu) => readUpdate(pdu)?.data ?? NOTHING));
  const commands = readCommands(data) ?? [];
  const [only] = commands;
  if (commands.length !== 1 || !only) return { pdus };
  if (only.is === 'marker') return { pdus, marker: only.isEnd ? 'ends' : 'begins' };
  const frame = frameOf(only, data, headers);
  return frame ? { pdus, frame } : { pdus };
}

function frameOf(command: SurfaceCommand, data: Buffer, known: { bytes: Uint8Array }): HostFrame | undefined {
  if (command.is !== 'remotefx') return undefined;
  const headers = readHeaders(command.bytes);
  const isFirst = headers !== undefined && !same(headers.bytes, known.bytes);
  if (isFirst) known.bytes = headers.bytes;
  const bytes = headers?.frame ?? command.bytes;
  const frame = readFrame(bytes);
  if (!frame || frame.tiles.length === 0 || frame.tiles.length * frame.rectangles.length > MAX_PIECES) return undefined;
  const { to } = command;
  const tiles = frame.tiles.map(({ x, y }) => {
    const place = { left: to.left + x * TILE, top: to.top + y * TILE, width: TILE, height: TILE };
    const parts = frame.rectangles.flatMap(({ left, top, width, height }) => {
      const part = common(place, { left: to.left + left, top: to.top + top, width, height });
      return part ? [part] : [];
    });
    return { place: `${place.left}:${place.top}`, parts };
  });
  return { tiles, isFirst, command: data, bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length) };
}

function same(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}
