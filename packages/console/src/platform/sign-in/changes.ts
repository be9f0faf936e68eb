/** Listens to what the gateway tells a signed-in console, and comes back quietly when the line breaks. */
import { type ChangeFrame, changeFrame, type SocketHello } from '@gatehouse/contract/identity/change-frames';
import { parseJson } from '@gatehouse/contract/std/parse-json';

const FIRST_WAIT_MS = 1000;
const MAX_WAIT_MS = 30_000;

export interface ChangesDeps {
  path: string;
  openSocket: (path: string) => WebSocket;
  token: () => string | undefined;
  onFrame: (frame: ChangeFrame) => void;
}

/** Returns what ends the listening. */
export function listenForChanges({ path, openSocket, token, onFrame }: ChangesDeps): () => void {
  let socket: WebSocket | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let wait = FIRST_WAIT_MS;
  let stopped = false;
  let wasReady = false;

  const connect = () => {
    const opened = openSocket(path);
    socket = opened;
    opened.addEventListener('open', () =>
      opened.send(JSON.stringify({ type: 'hello', token: token() ?? '' } satisfies SocketHello)),
    );
    opened.addEventListener('message', (event: MessageEvent) => hear(event.data));
    opened.addEventListener('close', () => again());
  };

  const hear = (data: unknown) => {
    const frame = changeFrame.safeParse(parseJson(data)).data;
    if (!frame || stopped) return;
    if (frame.type === 'ready') {
      wait = FIRST_WAIT_MS;
      // Whatever happened while nobody listened was told to nobody; alerts were asked for a moment before.
      onFrame({ type: 'alerts' });
      if (wasReady) {
        onFrame({ type: 'user' });
        onFrame({ type: 'resources' });
      }
      wasReady = true;
      return;
    }
    onFrame(frame);
  };

  const again = () => {
    if (stopped) return;
    // Spread out, so that a gateway that comes back is not met by everybody at once.
    timer = setTimeout(connect, wait * (0.5 + Math.random() / 2));
    wait = Math.min(wait * 2, MAX_WAIT_MS);
  };

  connect();
  return () => {
    stopped = true;
    clearTimeout(timer);
    socket?.close();
  };
}
