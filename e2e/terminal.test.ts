import {
  AHEAD_BYTES,
  FRAME_HEADER_BYTES,
  INPUT_FRAME,
  OUTPUT_FRAME,
} from '@gatehouse/contract/sessions/terminal-frames';
import { WIDTHS } from '@gatehouse/testkit/chromium';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { EACH_WIDTH, lookAt } from './look.ts';
import {
  hasFocus,
  makeReady,
  type PersonOptions,
  prompt,
  run,
  type ShellWorld,
  shows,
  startShellWorld,
  text,
} from './shell-world.ts';

let world: ShellWorld;

beforeAll(async () => {
  world = await startShellWorld({ servers: ['web-01', 'db-01'] });
});
afterAll(() => world?.close());

async function openAs(options: PersonOptions = {}) {
  const person = await world.person('typist', 'editor,access', { logins: 'root,nobody', ...options });
  onTestFinished(() => person.leave());
  const open = async () => {
    await world.openShell(person.page);
    await makeReady(person.page);
  };
  return { ...person, open };
}

const connected = (page: Page) => page.getByRole('status').getByText('Connected').waitFor();
const tabs = (page: Page) => page.getByRole('navigation', { name: 'Terminals' }).getByRole('listitem');

test('a prompt, typing, finding, and the same shell after a reload', async () => {
  const { page, complaints, context, open } = await openAs();
  await open();
  expect(await page.title()).toBe('localhost • root@web-01');
  await run(page, 'kept=yes; for i in 1 2 3; do echo "match $i"; done');
  await shows(page, /match 3/);

  await page.keyboard.press('Control+Shift+F');
  await page.keyboard.type('match');
  await page.getByText(/of 4$/).waitFor();
  await page.keyboard.press('Escape');
  await run(page, `printf '\\033[38;2;255;0;0mred\\033[0m\\n'`);
  const red = page.locator('.xterm-rows span', { hasText: /^red$/ });
  await expect
    .poll(() => red.last().evaluate((span) => getComputedStyle(span).color))
    .toMatch(/^rgb\(2\d\d, \d+, \d+\)$/);

  await page.reload();
  await shows(page, /match 3/);
  await connected(page);
  await run(page, 'echo "still $kept"');
  await shows(page, /still yes/);
  await context.close();
  expect(complaints).toEqual([]);
});

test('what is pasted in several lines is shown first, without what would run it at once', async () => {
  const { page, context, open } = await openAs();
  await open();
  const paste = (pasted: string) =>
    page.evaluate((given) => {
      const data = new DataTransfer();
      data.setData('text/plain', given);
      const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
      document.activeElement?.dispatchEvent(event);
    }, pasted);

  await paste('echo one line');
  await shows(page, /ready\$ echo one line$/);
  await page.keyboard.press('Control+C');
  await shows(page, /\^C\s+ready\$$/);
  await paste('echo first\u001b[201~\necho second\n');
  const dialog = page.getByRole('dialog', { name: 'Paste 2 lines?' });
  await dialog.getByText('Control characters').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await hasFocus(page);
  await paste('echo a$((1+1))\necho b$((1+2))\n');
  await page.getByRole('dialog').getByRole('button', { name: 'Paste', exact: true }).click();
  await hasFocus(page);
  await page.keyboard.press('Enter');
  await shows(page, /a2\n[\s\S]*b3/);
  expect(await text(page)).not.toMatch(/second/);
  await context.close();
});

test('several terminals: tabs and panes of their own shells, kept by a reload, closed with a question', async () => {
  const { page, context, open } = await openAs();
  await open();
  await run(page, 'mine=first');
  await page.keyboard.press('Alt+Shift+N');
  await page.getByRole('button', { name: 'Open root@db-01' }).click();
  await expect.poll(() => tabs(page).count()).toBe(2);
  await prompt(page);
  await page.getByRole('button', { name: 'Split right' }).click();
  await expect.poll(() => page.getByRole('region', { name: 'root@db-01' }).count()).toBe(2);
  await expect.poll(() => tabs(page).count()).toBe(2);
  // The keys are those of a terminal: on the button that was pressed they do nothing.
  await hasFocus(page);
  await page.keyboard.press('Alt+Shift+W');
  await expect.poll(() => page.getByRole('region', { name: 'root@db-01' }).count()).toBe(1);

  await page.reload();
  await expect
    .poll(() => tabs(page).allTextContents())
    .toEqual([expect.stringContaining('root@web-01'), expect.stringContaining('root@db-01')]);
  await prompt(page);
  await hasFocus(page);
  await page.keyboard.press('Alt+Shift+ArrowLeft');
  await shows(page, /mine=first/);
  await run(page, 'echo "has $mine"');
  await shows(page, /has first/);

  await run(page, 'less /etc/passwd');
  await shows(page, /root:x:0:0/);
  await page.keyboard.press('Alt+Shift+W');
  await page.getByRole('dialog', { name: 'Close root@web-01?' }).getByRole('button', { name: 'Close and end' }).click();
  await expect.poll(() => tabs(page).count()).toBe(1);
  await context.close();
});

test('a lost network is said and survived; a shell that ends says so and can be opened again', async () => {
  const { page, context, open } = await openAs();
  await open();
  await context.setOffline(true);
  await page.evaluate(() => window.dispatchEvent(new Event('online')));
  await page.getByText(/^Connection lost/).waitFor();
  await page.keyboard.type('echo typed while away');
  await context.setOffline(false);
  await connected(page);
  await shows(page, /ready\$ echo typed while away$/);
  // What is typed before the shell is back from an interrupt, it throws away.
  await page.keyboard.press('Control+C');
  await shows(page, /\^C\s+ready\$$/);

  await run(page, 'exit 3');
  await page.getByText('The shell has exited with code 3').waitFor();
  await page.getByRole('button', { name: 'Open again' }).click();
  await prompt(page);
  await context.close();
});

test('with WebGL it is drawn on a canvas, and the policy of the page has nothing to say', async () => {
  const { page, complaints, context } = await openAs({ webgl: true });
  await world.openShell(page);
  await connected(page);
  await page.locator('.xterm canvas').first().waitFor();
  await context.close();

  expect(complaints).toEqual([]);
});

test('panes are resized and tabs moved, by pointer and by keyboard, and a reload keeps it', async () => {
  const { page, context, open } = await openAs();
  await open();
  await page.keyboard.press('Alt+Shift+D');
  const panes = page.getByRole('region', { name: 'root@web-01' });
  await expect.poll(() => panes.count()).toBe(2);
  const share = async () => {
    const [first, second] = [await panes.nth(0).boundingBox(), await panes.nth(1).boundingBox()];
    return Math.round((100 * (first?.width ?? 0)) / ((first?.width ?? 0) + (second?.width ?? 0)));
  };
  await expect.poll(share).toBe(50);
  // A terminal takes the focus once more when its session is there: who moves the edge before that types into the shell.
  await expect.poll(() => panes.nth(1).locator('.xterm-rows').textContent()).toMatch(/[#$]/);
  await expect.poll(() => panes.nth(1).evaluate((pane) => pane.contains(document.activeElement))).toBe(true);
  const edge = page.getByRole('separator', { name: 'Edge between panes' });
  await edge.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await expect.poll(share).toBe(60);
  const { x = 0, y = 0 } = (await edge.boundingBox()) ?? {};
  await page.mouse.move(x, y + 100);
  await page.mouse.down();
  await page.mouse.move(x - 288, y + 100, { steps: 4 });
  await page.mouse.up();
  await expect.poll(share).toBeLessThan(45);
  const dragged = await share();

  await page.getByRole('button', { name: 'Terminal options' }).click();
  await page.getByRole('menuitem', { name: /^Duplicate/ }).click();
  await expect.poll(() => tabs(page).count()).toBe(2);
  // A terminal that opens meanwhile takes the focus from the tab, and draws the dot anew by which it is dragged: the drag is off.
  await connected(page);
  await hasFocus(page);
  await page.keyboard.press('Alt+Shift+T');
  await page.keyboard.press('F2');
  await page.keyboard.type('copy');
  await page.keyboard.press('Enter');
  const names = () => tabs(page).locator('code:first-of-type').allTextContents();
  await expect.poll(names).toEqual(['root@web-01', 'copy']);
  // Dragged by the dot or the name beside it. Well before its middle: there it would hang on half a pixel which side it is.
  await tabs(page)
    .nth(1)
    .dragTo(tabs(page).nth(0), { targetPosition: { x: 8, y: 12 } });
  await expect.poll(names).toEqual(['copy', 'root@web-01']);
  await page.reload();
  await expect.poll(names).toEqual(['copy', 'root@web-01']);
  await hasFocus(page);
  await page.keyboard.press('Alt+Shift+ArrowRight');
  await expect.poll(share).toBe(dragged);
  await context.close();
});

test('what programs ask of a terminal is answered, and never acts behind somebody’s back', async () => {
  const { page, context, open } = await openAs();
  await open();
  await run(page, `printf '\\033]0;release notes\\007'`);
  await page.locator('footer').getByText('release notes').waitFor();
  await run(page, `printf '\\033]52;c;%s\\007\\033]52;c;?\\007' "$(printf secret | base64)"`);
  await page
    .getByText(/wants to/i)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'No', exact: true }).click();
  // Two columns wide, and the terminal says where the cursor is when it is asked.
  await run(page, `clear; printf '\\360\\237\\231\\202'; IFS=';' read -rsdR -p $'\\033[6n' row col; echo " col=$col"`);
  await shows(page, /col=3/);
  await run(page, `clear; printf '\\033[?1000h\\033[?1006h'; head -c 9 | cat -v; printf '\\033[?1000l\\033[?1006l'`);
  await expect.poll(async () => (await text(page)).length).toBeLessThan(5);
  // Cleared before it: a click that comes in between selects text.
  await page.locator('.xterm.enable-mouse-events').waitFor();
  await page.locator('.xterm-screen').click({ position: { x: 40, y: 40 } });
  await page.keyboard.press('Enter');
  await shows(page, /\^\[\[<0;\d/);
  await run(page, 'clear; echo words to copy');
  await shows(page, /^words to copy\n/);
  // The right button gives the browser's own menu the selection to copy, and a place to paste.
  const { x = 0, y = 0 } = (await page.locator('.xterm-rows > div').first().boundingBox()) ?? {};
  await page.mouse.dblclick(x + 12, y + 8);
  await page.mouse.click(x + 12, y + 8, { button: 'right' });
  expect(await page.locator('.xterm-helper-textarea').inputValue()).toBe('words');
  await context.close();
});

/** How far past what the page had drawn at the key a program may still print: what is under way on each stretch, twice. */
const STILL_COMES_BYTES = 2 * (AHEAD_BYTES + 1024 * 1024);

// How long it takes is for `npm run bench -- terminal flood` to say: here it is bytes, of which a slow machine has no more.
test('a flood runs no further ahead of the page than it may, stops at Ctrl-C, and the page does not grow by it', async () => {
  const { page, context, open } = await openAs({ viewport: { width: 800, height: 500 } });
  await page.addInitScript(countOutput, { OUTPUT_FRAME, INPUT_FRAME, FRAME_HEADER_BYTES });
  await open();
  const debug = await context.newCDPSession(page);
  await debug.send('Performance.enable');
  const heapMb = async () => {
    await debug.send('HeapProfiler.collectGarbage');
    const { metrics } = await debug.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0) / 1e6;
  };
  const counted = async () => (await page.evaluate('outputCount')) as OutputCount;
  const flood = async (bytes: number) => {
    const { received } = await counted();
    await run(page, 'yes');
    await expect.poll(async () => (await counted()).drawn - received, { timeout: 60_000 }).toBeGreaterThan(bytes);
    await page.keyboard.press('Control+C');
    await shows(page, /ready\$$/);
  };
  await flood(1e6);
  const before = await heapMb();
  await flood(4e6);
  await flood(1e6);

  const grownMb = (await heapMb()) - before;
  console.log(`the page grew by ${grownMb.toFixed(2)} MB`);
  // A page that kept each byte once would have grown by all of them.
  expect(grownMb).toBeLessThan(4);
  const { mostAhead, afterKeys } = await counted();
  expect(mostAhead).toBeGreaterThan(64 * 1024);
  expect(mostAhead).toBeLessThanOrEqual(AHEAD_BYTES);
  expect(afterKeys).toHaveLength(3);
  for (const still of afterKeys) expect(still).toBeLessThan(STILL_COMES_BYTES);
  await context.close();
});

interface OutputCount {
  received: number;
  drawn: number;
  /** The most that had come and was not said to be drawn. */
  mostAhead: number;
  /** For each Ctrl-C what was drawn after it. */
  afterKeys: number[];
}

/** Runs in the page before its own code, and counts what its terminal is sent and says it has drawn. */
function countOutput(kinds: { OUTPUT_FRAME: number; INPUT_FRAME: number; FRAME_HEADER_BYTES: number }): void {
  const count: OutputCount = { received: 0, drawn: 0, mostAhead: 0, afterKeys: [] };
  let atKey: number | undefined;
  const hear = ({ data }: MessageEvent) => {
    if (!(data instanceof ArrayBuffer) || new Uint8Array(data)[0] !== kinds.OUTPUT_FRAME) return;
    count.received = Number(new DataView(data).getBigUint64(1)) + data.byteLength - kinds.FRAME_HEADER_BYTES;
    count.mostAhead = Math.max(count.mostAhead, count.received - count.drawn);
    if (atKey !== undefined) count.afterKeys[count.afterKeys.length - 1] = count.received - atKey;
  };
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (this: WebSocket, message: string | ArrayBuffer | Uint8Array<ArrayBuffer>) {
    if (typeof message === 'string' && message.includes('"hello"')) this.addEventListener('message', hear);
    if (typeof message === 'string' && message.includes('"seen"')) count.drawn = JSON.parse(message).offset;
    if (message instanceof Uint8Array && message[0] === kinds.INPUT_FRAME) {
      // What is typed afterwards is echoed: that is no part of the flood.
      atKey = message.at(-1) === 3 ? count.drawn : undefined;
      if (atKey !== undefined) count.afterKeys.push(0);
    }
    send.call(this, message as never);
  } as typeof send;
  Object.assign(window, { outputCount: count });
}

test('a phone has the keys its keyboard lacks', async () => {
  const { page, context, open } = await openAs({ viewport: WIDTHS.phone, hasTouch: true });
  await open();
  // Under way, or Ctrl and C throw away what the shell has not read yet.
  await run(page, 'echo $((40+2)) begun; sleep 100');
  await shows(page, /^42 begun$/m);
  const keys = page.getByRole('toolbar', { name: 'Keys a phone does not have' });
  await keys.getByRole('button', { name: 'Ctrl' }).tap();
  await page.keyboard.type('c');
  await shows(page, /\^C\s+ready\$$/);
  await keys.getByRole('button', { name: 'Up' }).tap();
  await shows(page, /ready\$ echo .* begun; sleep 100$/);
  await context.close();
});

test.each(EACH_WIDTH)(
  'every state is accessible, quiet and fits in both themes, at $width width',
  async ({ viewport }) => {
    const { page, complaints, context, open } = await openAs({ viewport });
    const { look, found } = lookAt(page);
    await open();
    await look('terminal');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.keyboard.type('ready');
    await page.getByText(/of \d+$/).waitFor();
    await look('finding');
    await page.keyboard.press('Escape');
    for (const own of ['Light', 'Dark']) {
      await page.getByRole('button', { name: 'Terminal options' }).click();
      await page.getByRole('menuitemradio', { name: own }).click();
      await look(`a terminal that is ${own} by itself`);
    }
    await page.getByRole('button', { name: 'New terminal' }).click();
    await page.getByRole('button', { name: 'Open root@db-01' }).waitFor();
    await look('new terminal');
    await page.getByRole('button', { name: 'Open root@db-01' }).click();
    await prompt(page);
    await run(page, 'exit');
    await page.getByText('The shell has exited').waitFor();
    await look('ended');
    await context.close();

    expect(found).toEqual([]);
    expect(complaints).toEqual([]);
  },
);
