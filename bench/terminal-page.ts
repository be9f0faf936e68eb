/** Somebody's page with terminals in a real Chromium, whose rows can be read. */
import { drawWithElements, launchChromium, WIDTHS } from '@gatehouse/testkit/chromium';
import { signedInContext } from '@gatehouse/testkit/signed-in-context';
import type { Page } from 'playwright-core';
import type { World } from './terminal-world.ts';

export interface TerminalPage {
  page: Page;
  /** Opens a terminal with a click and resolves when it is drawn. */
  open(server: string, login: string): Promise<void>;
  close(): Promise<void>;
}

export async function openTerminalPage(world: World, user: string): Promise<TerminalPage> {
  const browser = await launchChromium();
  const context = await browser.newContext({ viewport: WIDTHS.desktop });
  await drawWithElements(context);
  await signedInContext(context, world.gateway, user, 'bench', { fetchesAhead: true });
  const page = await context.newPage();
  await page.goto(`${world.gateway.url}/cluster/localhost/console/nodes`);
  return {
    page,
    async open(server, login) {
      await page.getByRole('button', { name: `Open ${login}@${server}` }).click();
      await page.locator('.xterm-rows').waitFor();
    },
    close: () => browser.close(),
  };
}
