/** One attempt of an agent to reach its gateway: socket, upgrade, proof. */
import type { TunnelHello } from '@gatehouse/contract/reach/tunnel/handshake';
import { withDeadline } from '../deadline.ts';
import type { ProofSigner } from '../handshake/agent-key.ts';
import { proveAgent } from '../handshake/prove-agent.ts';
import type { Link } from '../link.ts';
import { messageOf, TunnelError } from '../tunnel-error.ts';
import { openSocket, type Trust } from './open-socket.ts';
import { upgradeRaw, upgradeWebSocket } from './upgrade.ts';

const CONNECT_MS = 10_000;
/** Some balancers swallow an upgrade they do not know and never answer. */
const UPGRADE_MS = 5_000;
/** The gateway may look the agent up in a busy store before it answers. */
const VERDICT_MS = 20_000;

export interface Dialling {
  url: URL;
  trust: Trust;
  signer: ProofSigner;
  hello: TunnelHello;
  /** `auto` tries the plain upgrade, then the websocket. */
  transport: 'auto' | Link['transport'];
  signal: AbortSignal;
}

/** The link of an accepted agent, ready for HTTP/2. */
export async function dialGateway(dialling: Dialling): Promise<Link> {
  const { signer, hello, url, signal } = dialling;
  const link = await upgraded(dialling);
  try {
    await withDeadline({ ms: VERDICT_MS, what: 'the handshake', signal }, (deadline) =>
      proveAgent(link, { signer, hello, audience: url.host, signal: deadline }),
    );
    return link;
  } catch (error) {
    link.stream.destroy();
    throw error;
  }
}

async function upgraded(dialling: Dialling): Promise<Link> {
  if (dialling.transport !== 'auto') return attempt(dialling, dialling.transport);
  try {
    return await attempt(dialling, 'upgrade');
  } catch (error) {
    if (!(error instanceof TunnelError) || error.code !== 'no_tunnel') throw error;
    // Which way worked is not remembered: a gateway caught restarting would leave the agent on the dearer way for good.
    return await attempt(dialling, 'websocket').catch((second: unknown) => {
      throw new TunnelError('no_tunnel', `${error.message}; as a websocket: ${messageOf(second)}`, { cause: second });
    });
  }
}

async function attempt({ url, trust, signal }: Dialling, transport: Link['transport']): Promise<Link> {
  const socket = await withDeadline({ ms: CONNECT_MS, what: 'connecting', signal }, (deadline) =>
    openSocket(url, trust, deadline),
  );
  const upgrade = transport === 'upgrade' ? upgradeRaw : upgradeWebSocket;
  try {
    return await withDeadline({ ms: UPGRADE_MS, what: 'the upgrade', signal }, (deadline) =>
      upgrade(socket, url, deadline),
    );
  } catch (error) {
    socket.destroy();
    if (error instanceof TunnelError && error.code === 'timed_out') throw new TunnelError('no_tunnel', error.message);
    throw error;
  }
}
