/** Somebody's tab on a desktop in a real Chromium: how soon something is drawn. */
import { launchChromium } from '@gatehouse/testkit/chromium';
import { signedInContext } from '@gatehouse/testkit/signed-in-context';
import { SIZE } from './desktops-screens.ts';
import { DESKTOP, type DesktopBenchWorld, ROLES } from './desktops-world.ts';

export interface DesktopTab {
  /** In milliseconds, from the address to the first picture. */
  open(): Promise<number>;
  reload(): Promise<number>;
  /** Ends the session. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

/** In the page, since it began to load: some pixel of the picture has a colour. */
const DRAWN = `new Promise((resolve) => {
  const look = () => {
    const canvas = document.querySelector('canvas');
    const context = canvas && canvas.width > 0 && canvas.getContext('2d');
    const data = context ? context.getImageData(canvas.width - 20, canvas.height - 20, 1, 1).data : [0, 0, 0];
    if (data[0] + data[1] + data[2] > 0) resolve(performance.now());
    else setTimeout(look, 5);
  };
  look();
})`;

export async function openDesktopTab(world: DesktopBenchWorld): Promise<DesktopTab> {
  const { gateway, xrdp } = world;
  const browser = await launchChromium();
  const context = await browser.newContext({ viewport: SIZE });
  await signedInContext(context, gateway, 'bea', ROLES, { fetchesAhead: true });
  const page = await context.newPage();
  // As somebody who has the console open.
  await page.goto(`${gateway.url}/cluster/localhost/desktops`, { waitUntil: 'networkidle' });
  return {
    async open() {
      await page.goto(`${gateway.url}/cluster/localhost/desktops/${DESKTOP}/${xrdp.user}`, { waitUntil: 'commit' });
      return await page.evaluate<number>(DRAWN);
    },
    async reload() {
      await page.reload({ waitUntil: 'commit' });
      return await page.evaluate<number>(DRAWN);
    },
    async leave() {
      await page.keyboard.press('Control+Alt+Home');
      await page.getByRole('button', { name: 'Disconnect' }).click();
      await page.getByRole('heading', { name: 'Disconnected' }).waitFor();
    },
    close: () => browser.close(),
  };
}
