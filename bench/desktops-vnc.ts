/** A page in Chromium and vncviewer at one TigerVNC: what each shows, and how soon. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { launchChromium } from '@gatehouse/testkit/chromium';
import { startXvnc, type TestXvnc } from '@gatehouse/testkit/desktop/xvnc';
import { signedInContext } from '@gatehouse/testkit/signed-in-context';
import type { Page } from 'playwright-core';
import type { Compared } from './desktops-compared.ts';
import { drawOn, WATCHED } from './desktops-drawing.ts';
import { clockMs, Screen, SIZE, StraightScreen } from './desktops-screens.ts';
import { type DesktopBenchWorld, ROLES, storePassword, tell, VNC_LOGIN } from './desktops-world.ts';

const NAME = 'vnc';

/** Beside `vncviewer`, as a `Compared`; `close` stops the host. */
export async function vncBeside(world: DesktopBenchWorld): Promise<Compared & { close(): Promise<void> }> {
  const { gateway, folder } = world;
  const xvnc = await startXvnc();
  await tell(gateway, 'add', NAME, xvnc.addr, '--protocol', 'vnc', '--labels', 'env=bench');
  await storePassword(gateway, folder, { name: NAME, login: VNC_LOGIN, password: xvnc.password });
  return {
    beside: 'vncviewer',
    async withPage(work) {
      const screen = await TabScreen.open(world);
      try {
        return await work(screen);
      } finally {
        await screen.close();
      }
    },
    async withStraight(work) {
      const screen = await StraightScreen.open('vncviewer', viewerWords(xvnc, folder));
      try {
        if (screen.changes.length === 0) await screen.next(({ colour }) => colour !== 0);
        screen.focus('TigerVNC');
        return await work(screen);
      } finally {
        await screen.close();
      }
    },
    draw: (drawing, seconds) => drawOn({ display: xvnc.display, folder }, drawing, seconds),
    close: () => xvnc.stop(),
  };
}

/** As large as a page has it, and nothing around the picture. */
function viewerWords({ port, password }: TestXvnc, folder: string): string[] {
  const file = join(folder, 'vnc-password');
  writeFileSync(file, execFileSync('tigervncpasswd', ['-f'], { input: `${password}\n` }), { mode: 0o600 });
  const size = `${SIZE.width}x${SIZE.height}`;
  const shown = ['-RemoteResize=0', `-DesktopSize=${size}`, '-geometry', `${size}+0+0`];
  return [...shown, '-Shared=1', '-PasswordFile', file, `127.0.0.1::${port}`];
}

/** In the page, before anything of it: what is drawn where people see it is looked at as soon as it is. */
const WATCH = `(() => {
  const { prototype } = CanvasRenderingContext2D;
  let last = -1;
  for (const name of ['drawImage', 'putImageData', 'fillRect']) {
    const draw = prototype[name];
    prototype[name] = function (...given) {
      draw.apply(this, given);
      if (!this.canvas.isConnected || this.canvas.width <= ${WATCHED.x}) return;
      const [red, green, blue] = this.getImageData(${WATCHED.x}, ${WATCHED.y}, 1, 1).data;
      const colour = (red << 16) | (green << 8) | blue;
      if (colour === last) return;
      last = colour;
      changedPixel(colour, performance.timeOrigin + performance.now());
    };
  }
})()`;

class TabScreen extends Screen {
  readonly #page: Page;
  readonly #leave: () => Promise<void>;

  private constructor(page: Page, leave: () => Promise<void>) {
    super();
    this.#page = page;
    this.#leave = leave;
  }

  static async open({ gateway }: DesktopBenchWorld): Promise<TabScreen> {
    const browser = await launchChromium();
    const context = await browser.newContext({ viewport: SIZE });
    await signedInContext(context, gateway, 'vera', ROLES, { fetchesAhead: true });
    const page = await context.newPage();
    const screen = new TabScreen(page, () => browser.close());
    // Pages count from another beginning.
    const ahead = clockMs() - (performance.timeOrigin + performance.now());
    await page.exposeFunction('changedPixel', (colour: number, at: number) =>
      screen.changed({ colour, at: at + ahead }),
    );
    await page.addInitScript(WATCH);
    const seen = screen.next(({ colour }) => colour !== 0);
    await page.goto(`${gateway.url}/cluster/localhost/desktops/${NAME}/${VNC_LOGIN}`);
    await seen;
    await page.locator('canvas').click({ position: { x: 200, y: 300 } });
    return screen;
  }

  press(): void {
    void this.#page.keyboard.press('Space');
  }

  /** The session as well. */
  async close(): Promise<void> {
    await this.#page.keyboard.press('Control+Alt+Home');
    await this.#page.getByRole('button', { name: 'Disconnect' }).click();
    await this.#page.getByRole('heading', { name: 'Disconnected' }).waitFor();
    await this.#leave();
  }
}
