/**
 * Lets a page begin in the middle of a running RDP session: it is told the handshake that was, what is on the screen, and what came since.
 * What is kept of a session does not grow with it: now and then what came is drawn into one picture, in a process of its own.
 */
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { AppError } from '../../platform/std/app-error.ts';
import type { Log } from '../../platform/std/log.ts';
import type { DrawnPicture, PictureForm } from '../../sessions/desktop/decoder/decoder-messages.ts';
import type { DesktopDecoder } from '../../sessions/desktop/decoder/desktop-decoder.ts';
import type { PictureSize } from '../../sessions/desktop/desktop-recorder.ts';
import { withoutOverdrawn } from '../../sessions/desktop/newest-frames.ts';
import { RdpSegments, type SegmentedPdus } from '../../sessions/desktop/rdp-prelude.ts';
import { allTiles } from '../../sessions/desktop/rdp-tiles.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** With more of what was not drawn over, it is drawn into one picture. A page draws about four times as much in a second. */
const MAX_TAIL_BYTES = 1024 * 1024;
/** Where it cannot be drawn fast enough. With more, nobody can begin until the size changes. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;
/** It is not looked at, or drawn once more, with every PDU. */
const AGAIN_BYTES = 1024 * 1024;
/** Held beside its bytes, about, for each of them: of the smallest there are millions in as many bytes. */
const HOLDING_BYTES = 128;
/** A screen that takes more than this as it is sent is shown to nobody who comes later: it lies in memory once for each of them. */
const MAX_SCREEN_BYTES = 64 * 1024 * 1024;
/** Of what lists show. */
const SHOWN_WIDTH = 640;

export interface Rejoin {
  /** Each PDU as recordings keep it. Gives back what pages get that did not make the handshake: with `segment`, they begin anew. */
  feed(pdu: Buffer): SegmentedPdus;
  /** What a page that begins now is sent first, whole PDUs; what `feed` gives follows. Rejects where nobody can begin now. */
  ready(): Promise<readonly Buffer[]>;
  /** As a page that begins now is to be told it. */
  size(): PictureSize;
  /** PNG of what is on the screen. */
  picture(): Promise<Buffer>;
  close(): void;
}

/** A screen, and what a client must know to go on from it. */
interface Drawn {
  prelude: readonly Buffer[];
  size: PictureSize;
  /** RGBA, packed. */
  packed: Buffer;
}

/** Unpacked, a screen takes up to 200 MB: one at a time in the whole gateway. */
let unpacking: Promise<unknown> = Promise.resolve();

function unpackTiles({ packed, size }: Drawn, maxBytes: number): Promise<Buffer[]> {
  const made = unpacking.then(async () => {
    const tiles = await allTiles(await decompress(packed), size);
    if (tiles.reduce((sum, { length }) => sum + length, 0) > maxBytes)
      throw new AppError('unavailable', 'this desktop is too large to be shown to who comes later');
    return tiles;
  });
  unpacking = made.catch(() => undefined);
  return made;
}

export interface RejoinDeps {
  decoder: Pick<DesktopDecoder, 'open'>;
  log: Log;
  maxScreenBytes?: number;
}

export function createRejoin({ decoder, log, maxScreenBytes = MAX_SCREEN_BYTES }: RejoinDeps): Rejoin {
  const segments = new RdpSegments();
  /** Another one for each size: what is drawn for an earlier one is nobody's any more. */
  let turn = 0;
  let drawn: Drawn | undefined;
  let tail: Buffer[] = [];
  let tailBytes = 0;
  let isLost = false;
  let isClosed = false;
  /** With so much the tail is looked at. */
  let dueAt = MAX_TAIL_BYTES;
  /** Of the tail, from its beginning. */
  let beingDrawn = 0;
  let drawing: Promise<void> | undefined;

  const begin = (pdus: readonly Buffer[]) => {
    turn += 1;
    drawn = undefined;
    tail = [...pdus];
    tailBytes = heldBytes(pdus);
    isLost = false;
    dueAt = MAX_TAIL_BYTES;
    beingDrawn = 0;
  };
  const lose = () => {
    isLost = true;
    tail = [];
    tailBytes = 0;
    drawn = undefined;
  };

  /** Who come at the same time share it. */
  let tiling: { of: Drawn; tiles: Promise<Buffer[]> } | undefined;
  const tilesNow = (known: Drawn): Promise<Buffer[]> => {
    if (tiling?.of === known) return tiling.tiles;
    const begun = { of: known, tiles: unpackTiles(known, maxScreenBytes) };
    tiling = begun;
    const over = () => {
      if (tiling === begun) tiling = undefined;
    };
    begun.tiles.then(over, over);
    return begun.tiles;
  };

  /** Of what came since the last picture, only so much where that is told. */
  const firstPdus = async (count?: number): Promise<Buffer[]> => {
    const [known, since] = [drawn, turn];
    if (!known) return tail.slice(0, count);
    const tiles = await tilesNow(known);
    // What came meanwhile may have been drawn into another one: that is as good.
    if (drawn !== known || turn !== since) return await firstPdus();
    return [...known.prelude, ...tiles, ...tail.slice(0, count)];
  };

  /** Draws all there is in a client of its own. */
  const look = async (form: PictureForm, count?: number): Promise<DrawnPicture> => {
    const pdus = await firstPdus(count);
    const { size } = segments.prelude;
    const desktop = decoder.open();
    try {
      await desktop.begin(size);
      await desktop.feed(pdus);
      return await desktop.look(form);
    } finally {
      desktop.close();
    }
  };

  const drawTail = async () => {
    const [count, since] = [tail.length, turn];
    const prelude = segments.prelude.all();
    const made = await look({ as: 'raw' }, count);
    const packed = await compress(made.bytes, { params: { [constants.ZSTD_c_compressionLevel]: 1 } });
    // The size has changed meanwhile, and with it everything.
    if (isClosed || isLost || turn !== since) return;
    drawn = { prelude, size: { width: made.width, height: made.height }, packed };
    tail = tail.slice(count);
    tailBytes = heldBytes(tail);
    dueAt = MAX_TAIL_BYTES;
  };

  const forgetOverdrawn = () => {
    tail = [...tail.slice(0, beingDrawn), ...withoutOverdrawn(tail.slice(beingDrawn))];
    tailBytes = heldBytes(tail);
  };

  const drawIfDue = () => {
    if (tailBytes < dueAt) return;
    const { isBoundary } = segments.prelude;
    if (isBoundary) forgetOverdrawn();
    if (tailBytes > MAX_WAITING_BYTES) {
      lose();
      return;
    }
    if (!isBoundary) return;
    dueAt = tailBytes + AGAIN_BYTES;
    if (drawing || tailBytes < MAX_TAIL_BYTES) return;
    beingDrawn = tail.length;
    drawing = drawTail()
      .catch((error: unknown) => log.warn({ reason: errorMessage(error) }, 'a desktop cannot be drawn by the gateway'))
      .finally(() => {
        drawing = undefined;
        beingDrawn = 0;
      });
  };

  const requireKnown = () => {
    if (isClosed || isLost || segments.prelude.size.width === 0)
      throw new AppError(
        'unavailable',
        'what is on the desktop is not known now: it draws faster than it can be followed',
      );
  };

  return {
    feed(pdu) {
      const followed = segments.follow(pdu);
      if (isClosed) return followed;
      if (followed.segment) {
        begin(followed.pdus.map(copyOf));
        return followed;
      }
      if (isLost) return followed;
      for (const each of followed.pdus) {
        tail.push(copyOf(each));
        tailBytes += heldBytes([each]);
      }
      drawIfDue();
      return followed;
    },
    async ready() {
      requireKnown();
      const pdus = await firstPdus();
      requireKnown();
      return pdus;
    },
    size: () => segments.prelude.size,
    async picture() {
      requireKnown();
      return Buffer.from((await look({ as: 'png', maxWidth: SHOWN_WIDTH })).bytes);
    },
    close() {
      isClosed = true;
      lose();
    },
  };
}

function heldBytes(pdus: readonly Buffer[]): number {
  return pdus.reduce((sum, { length }) => sum + length + HOLDING_BYTES, 0);
}

/** What a socket read at once would be kept whole for a part of it. */
function copyOf(pdu: Buffer): Buffer {
  return Buffer.from(pdu);
}
