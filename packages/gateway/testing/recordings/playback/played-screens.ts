/** The screens that playing from the start draws, at given times in order: what any shortcut must draw too. */
import { ScreenPlayer } from '../../../src/evidence/recordings/index/screen-player.ts';
import type { Happening } from './build-recording.ts';

export async function* playedScreens(
  happenings: readonly Happening[],
  times: readonly number[],
): AsyncGenerator<{ ms: number; ansi: string }> {
  const player = new ScreenPlayer({ cols: 80, rows: 24 }, 1_000);
  let next = 0;
  for (const ms of times) {
    for (let happening = happenings[next]; happening && happening.ms <= ms; happening = happenings[next]) {
      if (happening.type === 'output') player.write(Buffer.from(happening.text));
      if (happening.type === 'size') player.resize(happening);
      next += 1;
    }
    await player.drained();
    yield { ms, ansi: player.draw(100).ansi };
  }
  player.dispose();
}

export function randomTimes(random: () => number, count: number, durationMs: number): number[] {
  return Array.from({ length: count }, () => Math.floor(random() * durationMs)).sort((a, b) => a - b);
}
