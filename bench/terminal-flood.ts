/** From Ctrl-C to the prompt in a real Chromium: in a terminal that prints without end, and in one that does nothing. */
import { openTerminalPage } from './terminal-page.ts';
import type { World } from './terminal-world.ts';

const PROMPT = 'ready$ ';
const FLOOD_MS = 1_000;

export interface Stops {
  /** Milliseconds each. */
  idle: number[];
  flood: number[];
}

export async function stopsByKey(
  world: World,
  { server, login, count }: { server: string; login: string; count: number },
): Promise<Stops> {
  const { page, open, close } = await openTerminalPage(world, `stopper-${server}`);
  try {
    await open(server, login);
    const run = async (command: string) => {
      await page.keyboard.type(command);
      await page.keyboard.press('Enter');
    };
    const shows = (words: string) =>
      page.waitForFunction(
        (wanted) =>
          (document.querySelector('.xterm-rows')?.textContent ?? '').replaceAll('\u00a0', ' ').includes(wanted),
        words,
      );
    const stop = async () => {
      // Listening before the key is pressed: a busy page may see the key first.
      await page.evaluate(timeNextStop, PROMPT.trim());
      await page.keyboard.press('Control+C');
      return (await page.evaluate('stopped')) as number;
    };
    await run(`unset HISTFILE; PS1='rea''dy$ '; clear`);
    await shows(PROMPT);
    const took: Stops = { idle: [], flood: [] };
    for (let round = 0; round <= count; round += 1) {
      await run('clear; sleep 1000');
      await page.waitForTimeout(300);
      const idle = await stop();
      await run('clear; yes');
      await shows('yyyy');
      await page.waitForTimeout(FLOOD_MS);
      const flood = await stop();
      // In the first the page's code is still being compiled.
      if (round === 0) continue;
      took.idle.push(idle);
      took.flood.push(flood);
    }
    return took;
  } finally {
    await close();
  }
}

/** Runs in the page, and leaves the time from the next Ctrl-C to the frame in which the prompt stands last. */
function timeNextStop(prompt: string): void {
  const stopped = new Promise((resolve) => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'c') return;
      document.removeEventListener('keydown', onKey, { capture: true });
      const from = performance.now();
      const look = () => {
        const rows = document.querySelector('.xterm-rows')?.textContent ?? '';
        if (rows.replaceAll('\u00a0', ' ').trimEnd().endsWith(prompt)) resolve(performance.now() - from);
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    };
    document.addEventListener('keydown', onKey, { capture: true });
  });
  Object.assign(window, { stopped });
}
