/** From a click on a server to its prompt, in a real Chromium, as often as asked. */
import { openTerminalPage } from './terminal-page.ts';
import type { World } from './terminal-world.ts';

/** Milliseconds each. */
export async function clicksToPrompt(
  world: World,
  { server, login, count }: { server: string; login: string; count: number },
): Promise<number[]> {
  const { page, close } = await openTerminalPage(world, `clicker-${server}`);
  try {
    const took: number[] = [];
    for (let round = 0; round <= count; round += 1) {
      const button = page.getByRole('button', { name: `Open ${login}@${server}` });
      await button.waitFor();
      await page.evaluate(timeNextClick);
      await button.click();
      const ms = (await page.evaluate('prompted')) as number;
      // The first one loads the terminal itself.
      if (round > 0) took.push(ms);
      await page.keyboard.press('Alt+Shift+W');
      await page.keyboard.press('Alt+Shift+N');
    }
    return took;
  } finally {
    await close();
  }
}

/** Runs in the page, and leaves the time from the next click to the frame in which a prompt stands. */
function timeNextClick(): void {
  const prompted = new Promise((resolve) => {
    const onClick = () => {
      const from = performance.now();
      const look = () => {
        const rows = document.querySelector('.xterm-rows')?.textContent ?? '';
        if (/[#$]\s*$/.test(rows.replaceAll('\u00a0', ' '))) resolve(performance.now() - from);
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    };
    document.addEventListener('click', onClick, { once: true, capture: true });
  });
  Object.assign(window, { prompted });
}
