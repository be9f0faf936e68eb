import { PNG } from 'pngjs';
import { expect, test } from 'vitest';
import { ChangedTiles } from './changed-tiles.ts';
import { MAX_TILES } from './decoder-messages.ts';

const size = { width: 150, height: 70 };
const blank = () => Buffer.alloc(size.width * size.height * 4);
const areas = (tiles: ReturnType<ChangedTiles['take']>) =>
  tiles.map(({ left, top, width, height }) => [left, top, width, height]);

test('first all of it, then what changed, then nothing', () => {
  const tiles = new ChangedTiles();
  const pixels = blank();
  expect(areas(tiles.take({ ...size, pixels }))).toEqual([
    ...[
      [0, 0, 64, 64],
      [64, 0, 64, 64],
      [128, 0, 22, 64],
    ],
    ...[
      [0, 64, 64, 6],
      [64, 64, 64, 6],
      [128, 64, 22, 6],
    ],
  ]);
  expect(tiles.take({ ...size, pixels })).toEqual([]);

  // The last pixel, which belongs to the smallest tile.
  pixels.set([1, 2, 3, 255], pixels.length - 4);
  const [last, ...others] = tiles.take({ ...size, pixels });
  expect(others).toEqual([]);
  expect(last).toMatchObject({ left: 128, top: 64, width: 22, height: 6 });
  const drawn = PNG.sync.read(Buffer.from(last!.png));
  expect([drawn.width, drawn.height]).toEqual([22, 6]);
  expect([...drawn.data.subarray(-4)]).toEqual([1, 2, 3, 255]);
  expect([...drawn.data.subarray(-8, -4)]).toEqual([0, 0, 0, 255]);
});

test('another size is given whole, and a large one in several turns', () => {
  const tiles = new ChangedTiles();
  tiles.take({ ...size, pixels: blank() });
  const large = { width: 64 * 20, height: 64 * 15, pixels: new Uint8Array(64 * 20 * 64 * 15 * 4) };
  const first = tiles.take(large);
  const second = tiles.take(large);
  expect([first.length, second.length]).toEqual([MAX_TILES, 300 - MAX_TILES]);
  expect(new Set([...areas(first), ...areas(second)].map(String)).size).toBe(300);
  expect(tiles.take(large)).toEqual([]);
});
