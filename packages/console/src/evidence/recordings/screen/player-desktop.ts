/** The desktop of the player: the client that draws live ones, fed from a recording. What it says goes nowhere, and it can dial nobody. */
import { fetchCode } from '../../../platform/code/fetch-code.ts';
import type { PictureClient } from '../../../shared/desktop-picture/picture-client.ts';
import { wasLoadedToDraw } from '../../../shared/desktop-picture/whole-page.ts';
import styles from './player-desktop.module.css';
import type { ReplayScreen, ReplayScreenOptions, Scale } from './replay-screen.ts';

/** So much is pushed before the client draws, and the page with it. */
const BATCH_BYTES = 64 * 1024;
/** What a PDU of a handshake begins with; updates are drawn only after it. */
const HANDSHAKE = 3;

export function createPlayerDesktop({ label, onSize, onFailed }: ReplayScreenOptions): ReplayScreen {
  const home = document.createElement('div');
  home.className = styles.home ?? '';
  home.dataset.desktop = '';
  const canvas = document.createElement('canvas');
  canvas.className = styles.canvas ?? '';
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', label);
  const pointer = document.createElement('div');
  pointer.className = styles.pointer ?? '';
  pointer.hidden = true;
  home.append(canvas, pointer);

  let place: HTMLElement | undefined;
  let scale: Scale = 'whole';
  let size = { width: 0, height: 0 };
  let client: PictureClient | undefined;
  let protocol: 'rdp' | 'vnc' = 'rdp';
  let isConnected = false;
  /** Of VNC: its client goes on, and needs no other greeting. */
  let isGreeted = false;
  let waiting = 0;
  let isOver = false;

  // A link of the console led here: wasm is compiled only in a page that was loaded for it.
  if (!wasLoadedToDraw()) window.location.reload();

  const fail = (error: unknown) => {
    if (isOver) return;
    isOver = true;
    onFailed(error instanceof Error ? error : new Error(String(error)));
  };
  /** Everything happens in the order of the calls. */
  let line: Promise<void> = Promise.resolve();
  const inTurn = (work: () => void | Promise<void>, after: () => void = () => undefined) => {
    line = line
      .then(() => (isOver ? undefined : work()))
      .catch(fail)
      .then(after);
  };

  const fill = () => {
    if (!place || size.width === 0 || place.clientWidth === 0) return;
    const whole = Math.min(place.clientWidth / size.width, place.clientHeight / size.height);
    const share = scale === 'whole' ? whole : Math.max(whole, 1 / window.devicePixelRatio);
    home.style.width = `${Math.floor(size.width * share)}px`;
    home.style.height = `${Math.floor(size.height * share)}px`;
  };
  const resized = (next: { width: number; height: number }) => {
    size = next;
    onSize(next.width, next.height);
    fill();
  };
  const begin = async ({ protocol, ...next }: { protocol: 'rdp' | 'vnc'; width: number; height: number }) => {
    client?.close();
    client = undefined;
    isConnected = false;
    waiting = 0;
    const start = await loadClient(protocol);
    resized(next);
    const started = start({
      canvas,
      size: next,
      hasClipboard: false,
      offered: () => ({}),
      onSend: () => undefined,
      onSize: resized,
      onEnd({ isBroken, reason }) {
        // By RDP the host may have said goodbye; by VNC nobody does, and it draws no more.
        if (started === client && (isBroken || protocol === 'vnc')) fail(new Error(reason));
      },
    });
    client = started;
    await started.waiting;
  };
  const push = async (bytes: Uint8Array) => {
    if (!client) return;
    if (isGreeted) {
      isGreeted = false;
      return;
    }
    if (protocol === 'vnc') isConnected = true;
    if (!isConnected && bytes[0] !== HANDSHAKE) {
      await client.connected;
      await client.drawn();
      isConnected = true;
    }
    client.push(bytes);
    waiting += bytes.length;
    if (isConnected && waiting < BATCH_BYTES) return;
    waiting = 0;
    await client.drawn();
  };

  return {
    async show(given) {
      place = given;
      given.append(home);
      fill();
    },
    fit(next) {
      scale = next;
      fill();
    },
    recolour: () => undefined,
    draw: () =>
      inTurn(() => {
        client?.close();
        client = undefined;
        pointer.hidden = true;
      }),
    segment: (segment) =>
      inTurn(() => {
        protocol = segment.protocol;
        // Said every minute, so that one can begin there: who has come so far by playing has all of it.
        isGreeted = protocol === 'vnc' && client !== undefined;
        return isGreeted ? undefined : begin(segment);
      }),
    write: (data, done) => inTurn(() => (typeof data === 'string' ? undefined : push(data)), done),
    resize: () => undefined,
    pointer: ({ x, y, buttons }) =>
      inTurn(() => {
        if (size.width === 0) return;
        pointer.hidden = false;
        pointer.style.left = `${(x / size.width) * 100}%`;
        pointer.style.top = `${(y / size.height) * 100}%`;
        pointer.toggleAttribute('data-pressed', buttons !== 0);
      }),
    settle: (done) =>
      inTurn(async () => {
        await client?.drawn();
        // Nothing was drawn so early: what is there is of another time.
        if (!isConnected) canvas.getContext('2d')?.clearRect(0, 0, canvas.width, canvas.height);
      }, done),
    mark: () => undefined,
    dispose() {
      isOver = true;
      client?.close();
      home.remove();
    },
  };
}

/** Only the one that is needed. */
async function loadClient(protocol: 'rdp' | 'vnc') {
  if (protocol === 'vnc')
    return (await fetchCode(() => import('../../../shared/desktop-picture/vnc-client.ts'))).startVncClient;
  const { loadRdpClient, startRdpClient } = await fetchCode(
    () => import('../../../shared/desktop-picture/rdp-client.ts'),
  );
  await loadRdpClient();
  return startRdpClient;
}
